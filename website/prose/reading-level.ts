/** How hard a text is: the Flesch-Kincaid grade, about the school year in which it reads well. Source: Kincaid et al. 1975. */
import { listWords } from "./parse-text.ts";

/** Vowel groups, without a silent e at the end. Good to about a tenth, which is what the measure itself is good to. */
export function countSyllables(word: string): number {
  const letters = word.toLowerCase().replaceAll(/[^a-z]/g, "");
  if (letters.length <= 3) return 1;
  const groups = letters.replace(/(?:[^laeiouy]es|ed|[^laeiouy]e)$/, "").match(/[aeiouy]{1,2}/g);
  return Math.max(groups?.length ?? 1, 1);
}

/** @param sentences At least one with a word. Names in code count as one syllable: they are recognised, not read. */
export function readingGrade(sentences: readonly string[]): number {
  const words = sentences.flatMap(listWords);
  const syllables = words.reduce((sum, word) => sum + (/[·_/]|\d/.test(word) ? 1 : countSyllables(word)), 0);
  return 0.39 * (words.length / sentences.length) + 11.8 * (syllables / words.length) - 15.59;
}
