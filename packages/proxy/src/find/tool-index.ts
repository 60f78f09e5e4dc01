/**
 * Ranks tools by what a caller wants to do: BM25 over the words of their names, titles, descriptions and parameters, each part with
 * a weight of its own. Words are compared by their stems; a word that no tool has is completed or corrected.
 */
import { editDistance, isStopWord, stemOf, tokenize, typosAllowed } from "@toolhive/search/words";
import { isRecord } from "../messages/client-message.ts";
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
/** Words of a query; what comes after them counts for nothing. */
const MAX_QUERY_WORDS = 60;

/** How much a word says about a tool by where it stands. */
const WEIGHTS = {
  name: 4,
  title: 2,
  opening: 2,
  description: 1,
  server: 2.5,
  parameter: 0.7,
  parameterText: 0.35,
} as const;

/** BM25: how soon more of the same word counts for nothing, and how much a long text is held against it. */
const SATURATION = 1.4;
const LENGTH_SHARE = 0.55;
/** What a word counts for that means nearly the same, that begins so, or that is spelled nearly so. */
const SYNONYM_SHARE = 0.55;
const PREFIX_SHARE = 0.5;
const TYPO_SHARE = 0.6;
const MIN_PREFIX = 4;
/** Words that a tool's text uses in every second sentence say little, also in a small list. */
const MIN_RARITY = 0.15;

interface Posting {
  readonly tool: number;
  weight: number;
}

export class ToolIndex {
  readonly #tools: readonly FindableTool[];
  readonly #names: ReadonlySet<string>;
  readonly #postings = new Map<string, Posting[]>();
  readonly #lengths: number[] = [];
  readonly #averageLength: number;

  constructor(tools: readonly FindableTool[]) {
    this.#tools = tools;
    this.#names = new Set(tools.map(({ name }) => name));
    for (const [at, tool] of tools.entries()) this.#add(at, tool);
    this.#averageLength = this.#lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, tools.length) || 1;
  }

  get size(): number {
    return this.#tools.length;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** @returns The best tools, best first; of equals the first by name. */
  search(query: string, limit: number): FindableTool[] {
    const scores = new Map<number, number>();
    for (const terms of this.#expand(query)) {
      // A wish that several words of a tool answer counts once, by the best of them.
      const best = new Map<number, number>();
      for (const [term, share] of terms) {
        for (const [tool, score] of this.#scoreTerm(term)) {
          best.set(tool, Math.max(best.get(tool) ?? 0, score * share));
        }
      }
      for (const [tool, score] of best) scores.set(tool, (scores.get(tool) ?? 0) + score);
    }
    return [...scores]
      .map(([at, score]) => ({ tool: this.#tools[at], score }))
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

  #add(at: number, tool: FindableTool): void {
    let length = 0;
    for (const [text, weight] of listParts(tool)) {
      for (const term of readTerms(text)) {
        length += weight;
        const postings = this.#postings.get(term);
        const last = postings?.at(-1);
        if (last?.tool === at) last.weight += weight;
        else if (postings === undefined) this.#postings.set(term, [{ tool: at, weight }]);
        else postings.push({ tool: at, weight });
      }
    }
    this.#lengths.push(length);
  }

  /** @returns For each word of the query what it may stand for, and how much that counts. */
  #expand(query: string): ReadonlyMap<string, number>[] {
    const words = [...new Set(readTerms(query))].slice(0, MAX_QUERY_WORDS);
    return words.map((word) => {
      const terms = new Map<string, number>();
      const add = (term: string, share: number): void => {
        if (this.#postings.has(term)) terms.set(term, Math.max(terms.get(term) ?? 0, share));
      };
      add(word, 1);
      for (const synonym of findSynonyms(word)) add(synonym, SYNONYM_SHARE);
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
    const count = this.#tools.length;
    const rarity = Math.max(MIN_RARITY, Math.log(1 + (count - postings.length + 0.5) / (postings.length + 0.5)));
    for (const { tool, weight } of postings) {
      const length = (this.#lengths[tool] ?? 0) / this.#averageLength;
      const norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length);
      yield [tool, (rarity * weight * (SATURATION + 1)) / (weight + norm)];
    }
  }
}

function compareNames(left: { readonly name: string }, right: { readonly name: string }): number {
  if (left.name === right.name) return 0;
  return left.name < right.name ? -1 : 1;
}

/** Stems of the words of a text, without those that say nothing. */
function readTerms(text: string): string[] {
  const terms: string[] = [];
  tokenize(text, (term, _start, _end, _position, kind) => {
    if (kind === "flag" || kind === "identifier" || kind === "whole" || isStopWord(term)) return;
    terms.push(stemOf(term));
  });
  return terms;
}

function joinWords(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
    .slice(0, 64);
}

/** The texts of a tool with what a word in them counts for. */
function listParts({ name, text, server }: FindableTool): (readonly [string, number])[] {
  const parts: (readonly [string, number])[] = [[name, WEIGHTS.name]];
  if (server !== undefined) parts.push([server, WEIGHTS.server]);
  let left = MAX_SEARCHED;
  const add = (value: unknown, weight: number): void => {
    if (typeof value !== "string" || left <= 0) return;
    parts.push([value.slice(0, left), weight]);
    left -= value.length;
  };
  const tool: unknown = JSON.parse(text);
  if (!isRecord(tool)) return parts;
  add(tool.title ?? (isRecord(tool.annotations) ? tool.annotations.title : undefined), WEIGHTS.title);
  if (typeof tool.description === "string") {
    const end = /[.\n]\s/u.exec(tool.description)?.index ?? tool.description.length;
    add(tool.description.slice(0, end), WEIGHTS.opening);
    add(tool.description.slice(end), WEIGHTS.description);
  }
  const addProperties = (schema: unknown, depth: number): void => {
    if (!isRecord(schema) || !isRecord(schema.properties) || depth > MAX_DEPTH) return;
    for (const [property, value] of Object.entries(schema.properties)) {
      add(property, WEIGHTS.parameter);
      if (!isRecord(value)) continue;
      add(value.description, WEIGHTS.parameterText);
      addProperties(value, depth + 1);
      addProperties(value.items, depth + 1);
    }
  };
  addProperties(tool.inputSchema, 1);
  return parts;
}
