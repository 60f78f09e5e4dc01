/**
 * What people and tools call the same thing, in programming, offices and the web. Each word of a group in `synonyms.json` may replace
 * every other; a word or a phrase of people stands for words of tools, and not the other way round. A synonym only adds: a word that
 * the tool itself uses counts more.
 */
import { stemWord } from "@toolhive/search/words";
import data from "./synonyms.json" with { type: "json" };

/** What a word counts for that means the same, nearly so, or what people mean by it. */
const SAME_SHARE = 0.7;
const NEAR_SHARE = 0.5;
const SAID_SHARE = 0.7;
const PHRASE_SHARE = 0.8;

/** Stems with their weights. */
export type WeightedStems = ReadonlyMap<string, number>;

/** A phrase of a query: where it begins, how many words it has, and what tools call it. */
export interface FoundPhrase {
  readonly at: number;
  readonly length: number;
  readonly stems: WeightedStems;
}

/** Words that may replace a word, and words of tools for what people mean by it. */
const SYNONYMS = new Map<string, Map<string, number>>();
const SAID = new Map<string, Map<string, number>>();
/** Phrases by their first stem. */
const PHRASES = new Map<string, { readonly words: readonly string[]; readonly stems: WeightedStems }[]>();

for (const { groups } of data.near) addGroups(groups, NEAR_SHARE);
addGroups(data.same, SAME_SHARE);
for (const { words } of data.said) for (const { people, tools } of words) addSaid(people, tools);

function addGroups(groups: readonly (readonly string[])[], share: number): void {
  for (const group of groups) {
    const stems = group.map((word) => stemWord(word));
    for (const stem of stems) addSynonyms(stem, stems, share);
  }
}

function addSynonyms(stem: string, others: readonly string[], share: number, to = SYNONYMS): void {
  const known = to.get(stem) ?? new Map<string, number>();
  for (const other of others) if (other !== stem) known.set(other, Math.max(known.get(other) ?? 0, share));
  to.set(stem, known);
}

function addSaid(people: readonly string[], tools: readonly string[]): void {
  const stems = tools.map((word) => stemWord(word));
  for (const said of people) {
    const [first = "", ...rest] = said.split(" ").map((word) => stemWord(word));
    if (rest.length === 0) addSynonyms(first, stems, SAID_SHARE, SAID);
    else {
      const phrase = { words: [first, ...rest], stems: new Map(stems.map((stem) => [stem, PHRASE_SHARE] as const)) };
      PHRASES.set(first, [...(PHRASES.get(first) ?? []), phrase]);
    }
  }
}

/** @param stem Of a word. @returns Stems of words that may replace it, and their weights. */
export function findSynonyms(stem: string): Iterable<readonly [string, number]> {
  return SYNONYMS.get(stem) ?? [];
}

/** @param stem Of a word of people. @returns Stems of words of tools for it, and their weights. */
export function findSaid(stem: string): Iterable<readonly [string, number]> {
  return SAID.get(stem) ?? [];
}

/** @param stems Of all words of a query, in their order. */
export function findPhrases(stems: readonly string[]): FoundPhrase[] {
  return stems.flatMap((stem, at) =>
    (PHRASES.get(stem) ?? [])
      .filter(({ words }) => words.every((word, index) => stems[at + index] === word))
      .map((phrase) => ({ at, length: phrase.words.length, stems: phrase.stems })),
  );
}
