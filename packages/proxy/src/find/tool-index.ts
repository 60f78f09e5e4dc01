/**
 * Ranks tools by what a caller wants to do: BM25 over the words of their names, titles, descriptions and parameters, each part with
 * a weight of its own. Words are compared by their stems; a word that no tool has is completed or corrected.
 */
import { computeRarity, editDistance, stemWord, typosAllowed } from "@toolhive/search/words";
import { readToolQuery, type ToolQuery } from "./tool-query.ts";
import {
  type ByPart,
  type FindableTool,
  mapParts,
  PARTS,
  type Part,
  readToolText,
  readWords,
  type ToolText,
} from "./tool-text.ts";

export type { FindableTool } from "./tool-text.ts";

/** For each part of a tool, the weight of a word in it, and how much a long part lowers the weight of its words: 0 not at all, 1 in proportion. */
export type PartWeights = ByPart<{ readonly weight: number; readonly lengthShare: number }>;

const TOOL_WEIGHTS: PartWeights = {
  name: { weight: 5.2, lengthShare: 1 },
  server: { weight: 2, lengthShare: 0 },
  opening: { weight: 1.8, lengthShare: 1 },
  description: { weight: 0.36, lengthShare: 0.23 },
  parameters: { weight: 0.54, lengthShare: 1 },
};
/** Of an entry of a registry, whose parameters are its tools' names: they say more, and a server of many tools is no less found. */
export const ENTRY_WEIGHTS: PartWeights = { ...TOOL_WEIGHTS, parameters: { weight: 1, lengthShare: 0.75 } };

/** BM25: how soon more of the same word counts for nothing. */
const SATURATION = 1.2;
/** What a word counts for that begins so, or that is spelled nearly so. */
const PREFIX_SHARE = 0.24;
const TYPO_SHARE = 0.68;
const MIN_PREFIX = 4;
/** What further words of a tool count for that stand for the same word of the query. */
const FURTHER_SHARE = 0.21;
/** What a score is multiplied by: the query names the tool's server; wants what the tool does. */
const SERVER_FACTOR = 1.35;
const SAME_INTENT_FACTOR = 1.3;
/** A part of a server's name is worth less than its share of the name: `google` says little of Google Workspace. */
const SERVER_POWER = 1.37;
/** How much more a tool counts whose name the query says completely. */
const NAME_BONUS = 0.26;

/** How often a tool has a word in each part. */
interface Posting {
  readonly tool: number;
  readonly counts: Partial<Record<Part, number>>;
}

/** What is known of a tool beside where its words are. */
interface Entry {
  readonly tool: FindableTool;
  readonly lengths: ByPart<number>;
  readonly text: Pick<ToolText, "intent">;
  readonly serverWords: ReadonlySet<string>;
  /** Words of the name that are not those of the server. */
  readonly nameWords: readonly string[];
}

/** The word of a tool that a word of the query found, and how well it fits. */
type Match = readonly [term: string, score: number];

export class ToolIndex {
  readonly #entries: Entry[];
  readonly #names: ReadonlySet<string>;
  readonly #postings = new Map<string, Posting[]>();
  /** Of terms that were searched: no query changes what a term counts for. */
  readonly #scores = new Map<string, readonly (readonly [tool: number, score: number])[]>();
  readonly #averages: ByPart<number>;
  readonly #weights: PartWeights;

  /** @param weights Default: those of tools. */
  constructor(tools: readonly FindableTool[], weights = TOOL_WEIGHTS) {
    this.#weights = weights;
    this.#names = new Set(tools.map(({ name }) => name));
    this.#entries = tools.map((tool, at) => this.#add(at, tool));
    const average = (part: Part) => this.#entries.reduce((sum, { lengths }) => sum + lengths[part], 0) / tools.length;
    this.#averages = mapParts((part) => average(part) || 1);
  }

  get size(): number {
    return this.#entries.length;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** @returns The best tools, best first; of equals the first by name. */
  search(query: string, limit: number): FindableTool[] {
    const asked = readToolQuery(query, {
      has: (stem) => this.#postings.has(stem),
      findNear: (word) => this.#findNear(word),
    });
    return [...this.#match(asked)]
      .flatMap(([at, scores]) => {
        const entry = this.#entries[at];
        return entry === undefined
          ? []
          : [{ tool: entry.tool, score: sum(scores.values()) * weigh(entry, asked, scores) }];
      })
      .sort((left, right) => right.score - left.score || compareNames(left.tool, right.tool))
      .slice(0, limit)
      .map(({ tool }) => tool);
  }

  /** @returns Names that a wrong one may have been meant for, nearest first. */
  listNearNames(wrong: string, limit: number): string[] {
    const asked = joinWords(wrong);
    const near = this.#entries
      .map(({ tool: { name } }) => ({ name, distance: editDistance(asked, joinWords(name), 3) }))
      .filter(({ distance }) => distance <= 3)
      .sort((left, right) => left.distance - right.distance || compareNames(left, right))
      .map(({ name }) => name);
    const alike = this.search(wrong, limit).map(({ name }) => name);
    return [...new Set([...near, ...alike])].slice(0, limit);
  }

  /** @returns For each tool, its words that the query found, with what they count for. */
  #match({ words }: ToolQuery): Map<number, Map<string, number>> {
    const matches = new Map<number, Map<string, number>>();
    for (const stems of words) {
      for (const [tool, [term, score]] of this.#matchWord(stems)) {
        const matched = matches.get(tool) ?? new Map<string, number>();
        matches.set(tool, matched.set(term, Math.max(matched.get(term) ?? 0, score)));
      }
    }
    return matches;
  }

  /** A word of the query counts by the best word of a tool, and little by further ones. */
  #matchWord(stems: ReadonlyMap<string, number>): Map<number, Match> {
    const matches = new Map<number, Match>();
    for (const [stem, share] of stems) {
      for (const [tool, weight] of this.#scoreTerm(stem)) {
        const score = weight * share;
        const [term, best] = matches.get(tool) ?? [stem, 0];
        matches.set(tool, score > best ? [stem, score + FURTHER_SHARE * best] : [term, best + FURTHER_SHARE * score]);
      }
    }
    return matches;
  }

  #add(at: number, tool: FindableTool): Entry {
    const { terms, intent } = readToolText(tool);
    for (const part of PARTS) {
      for (const term of terms[part]) {
        const postings = this.#postings.get(term);
        const last = postings?.at(-1);
        if (last?.tool === at) last.counts[part] = (last.counts[part] ?? 0) + 1;
        else if (postings === undefined) this.#postings.set(term, [{ tool: at, counts: { [part]: 1 } }]);
        else postings.push({ tool: at, counts: { [part]: 1 } });
      }
    }
    return {
      tool,
      lengths: mapParts((part) => terms[part].length),
      text: { intent },
      serverWords: new Set(readWords(tool.server ?? "").map(stemWord)),
      nameWords: terms.name.filter((term) => !terms.server.includes(term)),
    };
  }

  *#findNear(word: string): Generator<readonly [string, number]> {
    const allowed = typosAllowed(word);
    for (const term of this.#postings.keys()) {
      if (
        word.length >= MIN_PREFIX &&
        (term.startsWith(word) || (term.length >= MIN_PREFIX && word.startsWith(term)))
      ) {
        yield [term, PREFIX_SHARE];
      } else if (allowed > 0) {
        const distance = editDistance(word, term, allowed);
        if (distance <= allowed) yield [term, TYPO_SHARE / distance];
      }
    }
  }

  #scoreTerm(term: string): readonly (readonly [tool: number, score: number])[] {
    const known = this.#scores.get(term);
    if (known !== undefined) return known;
    const postings = this.#postings.get(term) ?? [];
    const rarity = computeRarity(this.#entries.length, postings.length);
    const scores = postings.map(({ tool, counts }) => {
      let weight = 0;
      for (const part of PARTS) {
        const count = counts[part];
        if (count === undefined) continue;
        const { weight: own, lengthShare } = this.#weights[part];
        const length = (this.#entries[tool]?.lengths[part] ?? 0) / this.#averages[part];
        weight += (own * count) / (1 - lengthShare + lengthShare * length);
      }
      return [tool, (rarity * weight * (SATURATION + 1)) / (weight + SATURATION)] as const;
    });
    this.#scores.set(term, scores);
    return scores;
  }
}

function weigh(entry: Entry, asked: ToolQuery, matched: ReadonlyMap<string, number>): number {
  const { text, serverWords, nameWords } = entry;
  const named = [...serverWords].filter((word) => isNamed(word, asked.stems)).length;
  let factor = 1 + (SERVER_FACTOR - 1) * (named / Math.max(1, serverWords.size)) ** SERVER_POWER;
  if (text.intent !== undefined && text.intent === asked.intent) factor *= SAME_INTENT_FACTOR;
  const said = nameWords.filter((word) => matched.has(word)).length;
  return factor * (1 + NAME_BONUS * (said / Math.max(1, nameWords.length)));
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

function compareNames(left: { readonly name: string }, right: { readonly name: string }): number {
  if (left.name === right.name) return 0;
  return left.name < right.name ? -1 : 1;
}

/** Products are called by a part of their names: `mongo` for `mongodb`. */
function isNamed(word: string, asked: ReadonlySet<string>): boolean {
  return [...asked].some((each) => each === word || (each.length > MIN_PREFIX && word.startsWith(each)));
}

function joinWords(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
    .slice(0, 64);
}
