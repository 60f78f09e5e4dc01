/**
 * About how many tokens a text has for a model, rather too many than too few (`docs/decisions/0037-docs-for-agents.md` compares it
 * with tokenizers). A tokenizer of one model would be larger than the pages.
 */

/** Words, numbers, runs of signs, line ends; a space belongs to the word behind it. */
const PIECES = /[A-Za-z]+|\d+|\n+|[^\sA-Za-z\d]/g;
/** Letters of a word that are one token in most vocabularies. */
const LETTERS_PER_TOKEN = 6;
const DIGITS_PER_TOKEN = 3;

export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) {
    const first = piece.charCodeAt(0);
    if (first >= 48 && first <= 57) tokens += Math.ceil(piece.length / DIGITS_PER_TOKEN);
    else if ((first | 32) >= 97 && (first | 32) <= 122) tokens += Math.ceil(piece.length / LETTERS_PER_TOKEN);
    else tokens += 1;
  }
  return tokens;
}
