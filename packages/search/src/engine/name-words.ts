/** What a name (a title, a heading, an alias) is made of, so that queries can be compared with it as a whole. */
import { tokenize } from "../text/tokenize.ts";
import { isStopWord } from "../text/vocabulary.ts";

const MAX_COUNTED_WORDS = 255;

export interface NameWords {
  /** Words that say something about the subject, at most 255. */
  readonly words: number;
  /**
   * FNV-1a (32 bits) of all words in their order: equal for texts that differ in case, accents and punctuation only. 0 for a
   * single word: its share already shows that it is the whole name.
   */
  readonly sum: number;
}

export function describeName(text: string): NameWords {
  let words = 0;
  let all = 0;
  let sum = 0x811c9dc5;
  const add = (unit: number): void => {
    sum = Math.imul(sum ^ unit, 0x01000193) >>> 0;
  };
  tokenize(text, (term, _start, _end, _position, kind) => {
    if (kind === "flag" || kind === "whole" || kind === "identifier") return;
    all += 1;
    if (!isStopWord(term)) words += 1;
    for (let at = 0; at < term.length; at++) add(term.charCodeAt(at));
    add(32);
  });
  return { words: Math.min(MAX_COUNTED_WORDS, words), sum: all < 2 ? 0 : sum };
}
