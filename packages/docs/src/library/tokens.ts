/**
 * About how many tokens a text has for a model, rather too many than too few (`docs/decisions/0037-docs-for-agents.md` compares it
 * with tokenizers). A tokenizer of one model would be larger than the pages.
 */

/** Letters of a word that are one token in most vocabularies. */
const LETTERS_PER_TOKEN = 6;
const DIGITS_PER_TOKEN = 3;

const BLANK = 0;
const LETTER = 1;
const DIGIT = 2;
const LINE_END = 3;
const SIGN = 4;

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[A-Za-z]/.test(char)) return LETTER;
  if (/\d/.test(char)) return DIGIT;
  if (char === "\n") return LINE_END;
  return /\s/.test(char) ? BLANK : SIGN;
});

/** Words, numbers, runs of line ends and single signs are counted; a blank belongs to the word behind it. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let last = BLANK;
  let begin = 0;
  for (let at = 0; at <= text.length; at++) {
    const kind = at === text.length ? BLANK : findKind(text.charCodeAt(at));
    if (kind === last && kind !== SIGN) continue;
    if (last === LETTER) tokens += Math.ceil((at - begin) / LETTERS_PER_TOKEN);
    else if (last === DIGIT) tokens += Math.ceil((at - begin) / DIGITS_PER_TOKEN);
    else if (last !== BLANK) tokens += 1;
    last = kind;
    begin = at;
  }
  return tokens;
}

function findKind(code: number): number {
  if (code < KINDS.length) return KINDS[code] as number;
  return /\s/.test(String.fromCharCode(code)) ? BLANK : SIGN;
}
