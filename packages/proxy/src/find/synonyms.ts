/**
 * Words that people and tools use for the same thing, in programming, offices and the web: each word of a group in
 * `synonyms.json` may replace every other. A synonym only adds: a word that the tool itself uses counts more.
 */
import { stemWord } from "@toolhive/search/words";
import data from "./synonyms.json" with { type: "json" };

/** What a word counts for that means the same, or nearly so. */
const SAME_SHARE = 0.7;
const NEAR_SHARE = 0.5;

const SYNONYMS = new Map<string, Map<string, number>>();
for (const { groups } of data.near) addGroups(groups, NEAR_SHARE);
addGroups(data.same, SAME_SHARE);

function addGroups(groups: readonly (readonly string[])[], share: number): void {
  for (const group of groups) {
    const stems = group.map((word) => stemWord(word));
    for (const stem of stems) {
      const known = SYNONYMS.get(stem) ?? new Map<string, number>();
      for (const other of stems) if (other !== stem) known.set(other, share);
      SYNONYMS.set(stem, known);
    }
  }
}

/** @param stem Of a word. @returns Stems of words that may replace it, and their weights. */
export function findSynonyms(stem: string): Iterable<readonly [string, number]> {
  return SYNONYMS.get(stem) ?? [];
}
