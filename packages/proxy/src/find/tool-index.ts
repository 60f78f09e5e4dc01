/**
 * Ranks tools by what a caller wants to do: BM25 over the words of their names, titles, descriptions and parameters, each part with
 * a weight of its own. Words are compared by their stems; a word that no tool has is completed or corrected.
 */
import { isRecord } from "@toolhive/http/values";
import { editDistance, isStopWord, stemWord, tokenize, typosAllowed } from "@toolhive/search/words";
import { findIntent, type Intent } from "./intents.ts";
import { findSynonyms } from "./synonyms.ts";

/** A tool as its audience sees it. */
export interface FindableTool {
  readonly name: string;
  /** JSON, as the server wrote it. */
  readonly text: string;
  /** The server that has it, where there are several. */
  readonly server?: string | undefined;
}

/** UTF-16 units of one tool that are searched; what is behind them is not found by. */
const MAX_SEARCHED = 10_000;
/** Properties in properties of a schema. */
const MAX_DEPTH = 4;
/** Words of a query; later ones are ignored. */
const MAX_QUERY_WORDS = 60;

/** Parts of a tool: the weight of a word in each, and how much a long part lowers the weight of its words. */
const PARTS = {
  name: { weight: 5, lengthShare: 0.7 },
  server: { weight: 1.5, lengthShare: 0 },
  opening: { weight: 2, lengthShare: 0.4 },
  description: { weight: 0.4, lengthShare: 0.35 },
  parameters: { weight: 1, lengthShare: 0.75 },
} as const;
type Part = keyof typeof PARTS;
const PART_NAMES = Object.keys(PARTS) as Part[];

/** BM25: how soon more of the same word counts for nothing. */
const SATURATION = 1.2;
/** What a word counts for that begins so, or that is spelled nearly so. */
const PREFIX_SHARE = 0.5;
const TYPO_SHARE = 0.6;
const MIN_PREFIX = 4;
/** What a score is multiplied by: the query names the tool's server; wants what the tool does; wants something else. */
const SERVER_FACTOR = 1.2;
const SAME_INTENT_FACTOR = 1.3;
const OTHER_INTENT_FACTOR = 0.75;

/** How often a tool has a word in each part. */
interface Posting {
  readonly tool: number;
  readonly counts: Partial<Record<Part, number>>;
}

type Lengths = Readonly<Record<Part, number>>;

export class ToolIndex {
  readonly #tools: readonly FindableTool[];
  readonly #names: ReadonlySet<string>;
  readonly #postings = new Map<string, Posting[]>();
  readonly #lengths: Lengths[] = [];
  readonly #intents: (Intent | undefined)[] = [];
  readonly #servers: ReadonlySet<string>[] = [];
  readonly #averages: Lengths;

  constructor(tools: readonly FindableTool[]) {
    this.#tools = tools;
    this.#names = new Set(tools.map(({ name }) => name));
    for (const [at, tool] of tools.entries()) this.#add(at, tool);
    const average = (part: Part) => this.#lengths.reduce((sum, each) => sum + each[part], 0) / tools.length || 1;
    this.#averages = mapParts(average);
  }

  get size(): number {
    return this.#tools.length;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** @returns The best tools, best first; of equals the first by name. */
  search(query: string, limit: number): FindableTool[] {
    const matches = new Map<number, Map<string, number>>();
    for (const terms of this.#expand(query)) {
      // A word of the query counts once, by the best word of a tool; and so does a word of the tool.
      const best = new Map<number, readonly [string, number]>();
      for (const [term, share] of terms) {
        for (const [tool, weight] of this.#scoreTerm(term)) {
          const score = weight * share;
          if (score > (best.get(tool)?.[1] ?? 0)) best.set(tool, [term, score]);
        }
      }
      for (const [tool, [term, score]] of best) {
        const matched = matches.get(tool) ?? new Map<string, number>();
        matches.set(tool, matched.set(term, Math.max(matched.get(term) ?? 0, score)));
      }
    }
    const words = readWords(query);
    const intent = findIntent(words);
    const asked = new Set(words.map(stemWord));
    const sum = (scores: ReadonlyMap<string, number>) =>
      [...scores.values()].reduce((total, score) => total + score, 0);
    return [...matches]
      .map(([at, scores]) => ({ tool: this.#tools[at], score: sum(scores) * this.#weigh(at, intent, asked) }))
      .flatMap(({ tool, score }) => (tool === undefined ? [] : [{ tool, score }]))
      .sort((left, right) => right.score - left.score || compareNames(left.tool, right.tool))
      .slice(0, limit)
      .map(({ tool }) => tool);
  }

  /** @returns Names that a wrong one may have been meant for, nearest first. */
  listNearNames(wrong: string, limit: number): string[] {
    const asked = joinWords(wrong);
    const near = this.#tools
      .map(({ name }) => ({ name, distance: editDistance(asked, joinWords(name), 3) }))
      .filter(({ distance }) => distance <= 3)
      .sort((left, right) => left.distance - right.distance || compareNames(left, right))
      .map(({ name }) => name);
    const alike = this.search(wrong, limit).map(({ name }) => name);
    return [...new Set([...near, ...alike])].slice(0, limit);
  }

  #weigh(at: number, intent: Intent | undefined, asked: ReadonlySet<string>): number {
    const own = this.#intents[at];
    const isServerNamed = [...(this.#servers[at] ?? [])].some((word) => isNamed(word, asked));
    let factor = isServerNamed ? SERVER_FACTOR : 1;
    if (own !== undefined && intent !== undefined) factor *= own === intent ? SAME_INTENT_FACTOR : OTHER_INTENT_FACTOR;
    return factor;
  }

  #add(at: number, tool: FindableTool): void {
    const texts = readParts(tool);
    const [opening = ""] = texts.opening;
    const intent = findIntent(readWords(opening)) ?? findIntent(readWords(tool.name));
    this.#intents.push(isReadOnly(tool) ? "read" : intent);
    this.#servers.push(new Set(readWords(tool.server ?? "").map(stemWord)));
    const terms = mapParts((part) => texts[part].flatMap(readTerms));
    this.#lengths.push(mapParts((part) => terms[part].length));
    for (const part of PART_NAMES) {
      for (const term of terms[part]) {
        const postings = this.#postings.get(term);
        const last = postings?.at(-1);
        if (last?.tool === at) last.counts[part] = (last.counts[part] ?? 0) + 1;
        else if (postings === undefined) this.#postings.set(term, [{ tool: at, counts: { [part]: 1 } }]);
        else postings.push({ tool: at, counts: { [part]: 1 } });
      }
    }
  }

  /** @returns For each word of the query, the words that match it, with their weights. */
  #expand(query: string): ReadonlyMap<string, number>[] {
    const words = [...new Set(readTerms(query))].slice(0, MAX_QUERY_WORDS);
    return words.map((word) => {
      const terms = new Map<string, number>();
      const add = (term: string, share: number): void => {
        if (this.#postings.has(term)) terms.set(term, Math.max(terms.get(term) ?? 0, share));
      };
      add(word, 1);
      for (const [synonym, share] of findSynonyms(word)) add(synonym, share);
      if (terms.size === 0) this.#addNearTerms(word, add);
      return terms;
    });
  }

  #addNearTerms(word: string, add: (term: string, share: number) => void): void {
    const allowed = typosAllowed(word);
    for (const term of this.#postings.keys()) {
      if (
        word.length >= MIN_PREFIX &&
        (term.startsWith(word) || (term.length >= MIN_PREFIX && word.startsWith(term)))
      ) {
        add(term, PREFIX_SHARE);
      } else if (allowed > 0) {
        const distance = editDistance(word, term, allowed);
        if (distance <= allowed) add(term, TYPO_SHARE / distance);
      }
    }
  }

  *#scoreTerm(term: string): Generator<readonly [number, number]> {
    const postings = this.#postings.get(term) ?? [];
    const rarity = Math.log(1 + (this.#tools.length - postings.length + 0.5) / (postings.length + 0.5));
    for (const { tool, counts } of postings) {
      let weight = 0;
      for (const part of PART_NAMES) {
        const count = counts[part];
        if (count === undefined) continue;
        const { weight: own, lengthShare } = PARTS[part];
        const length = (this.#lengths[tool]?.[part] ?? 0) / this.#averages[part];
        weight += (own * count) / (1 - lengthShare + lengthShare * length);
      }
      yield [tool, (rarity * weight * (SATURATION + 1)) / (weight + SATURATION)];
    }
  }
}

function mapParts<T>(read: (part: Part) => T): Record<Part, T> {
  return {
    name: read("name"),
    server: read("server"),
    opening: read("opening"),
    description: read("description"),
    parameters: read("parameters"),
  };
}

function compareNames(left: { readonly name: string }, right: { readonly name: string }): number {
  if (left.name === right.name) return 0;
  return left.name < right.name ? -1 : 1;
}

/** Stems of the words of a text, without stop words. */
function readTerms(text: string): string[] {
  return readWords(text)
    .filter((word) => !isStopWord(word))
    .map((word) => stemWord(word));
}

function readWords(text: string): string[] {
  const words: string[] = [];
  tokenize(text, (term, _start, _end, _position, kind) => {
    if (kind !== "flag" && kind !== "identifier" && kind !== "whole") words.push(term);
  });
  return words;
}

/** Products are called by a part of their names: `mongo` for `mongodb`. */
function isNamed(word: string, asked: ReadonlySet<string>): boolean {
  return [...asked].some((each) => each === word || (each.length > MIN_PREFIX && word.startsWith(each)));
}

function isReadOnly({ text }: FindableTool): boolean {
  const tool: unknown = JSON.parse(text);
  return isRecord(tool) && isRecord(tool.annotations) && tool.annotations.readOnlyHint === true;
}

function joinWords(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
    .slice(0, 64);
}

function readParts({ name, text, server }: FindableTool): Record<Part, string[]> {
  const parts: Record<Part, string[]> = {
    name: [name],
    server: server === undefined ? [] : [server],
    opening: [],
    description: [],
    parameters: [],
  };
  let left = MAX_SEARCHED;
  const add = (part: Part, value: unknown): void => {
    if (typeof value !== "string" || left <= 0) return;
    parts[part].push(value.slice(0, left));
    left -= value.length;
  };
  const tool: unknown = JSON.parse(text);
  if (!isRecord(tool)) return parts;
  add("opening", tool.title ?? (isRecord(tool.annotations) ? tool.annotations.title : undefined));
  if (typeof tool.description === "string") {
    const description = tool.description.trimStart();
    const end = /[.\n]\s/u.exec(description)?.index ?? description.length;
    add("opening", description.slice(0, end));
    add("description", description.slice(end));
  }
  const addProperties = (schema: unknown, depth: number): void => {
    if (!isRecord(schema) || !isRecord(schema.properties) || depth > MAX_DEPTH) return;
    for (const [property, value] of Object.entries(schema.properties)) {
      add("parameters", property);
      if (!isRecord(value)) continue;
      add("parameters", value.description);
      addProperties(value, depth + 1);
      addProperties(value.items, depth + 1);
    }
  };
  addProperties(tool.inputSchema, 1);
  return parts;
}
