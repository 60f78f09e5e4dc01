/**
 * Folding: the form of a text in which two spellings of one word are equal.
 * Lower case, no accents (Unicode NFKD without combining marks), `ß` as `ss`; zero-width characters vanish.
 */

const ASCII = /^[\0-\x7f]*$/;
const MARKS = /[\p{M}\u00ad\u200b-\u200f\u2060\ufeff]/gu;

/** Folds one word or text. The result may be shorter or longer than the input. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replace(MARKS, "").toLowerCase().replaceAll("ß", "ss");
}
