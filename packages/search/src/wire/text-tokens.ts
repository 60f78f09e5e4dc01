/**
 * The words of a record's text as highlighting needs them. The same few thousand texts are shown again and again while readers
 * type, and cutting them into words is most of what an answer costs.
 */
import { BoundedCache } from "../support/bounded-cache.ts";
import { tokenize } from "../text/tokenize.ts";

export interface TextTokens {
  /** Folded terms in the order of `tokenize`. */
  readonly terms: readonly string[];
  /** Their numbers: the same for the same term in every text that is known. */
  readonly numbers: Uint32Array;
  /** Numbers of texts with different numberings do not compare. */
  readonly numbering: number;
  /** Offsets of every term: its start, then its end. */
  readonly offsets: Uint32Array;
  /** Offsets of every word as a reader counts them, between blanks and with a letter or digit: start, then end. */
  readonly spans: Uint32Array;
  /** The text as a JSON string of HTML, once it was asked for. */
  html: string | undefined;
  readonly cost: number;
}

/** Memory for cut texts, in bytes: all texts of a site of some thousand pages' records. */
const MAX_BYTES = 24 * 2 ** 20;

const known = new BoundedCache<TextTokens>(MAX_BYTES);

/** Different terms of all known texts; more than this belong to texts that are long forgotten. */
const MAX_NUMBERS = 1 << 18;
const knownNumbers = new Map<string, number>();
let numbering = 0;

export function findTokens(text: string): TextTokens {
  const remembered = known.get(text);
  if (remembered !== undefined) return remembered;
  if (knownNumbers.size > MAX_NUMBERS) {
    knownNumbers.clear();
    numbering += 1;
    known.clear();
  }
  const terms: string[] = [];
  const numbers: number[] = [];
  const offsets: number[] = [];
  tokenize(text, (term, start, end) => {
    terms.push(term);
    let number = knownNumbers.get(term);
    if (number === undefined) {
      number = knownNumbers.size;
      knownNumbers.set(term, number);
    }
    numbers.push(number);
    offsets.push(start, end);
  });
  const spans: number[] = [];
  for (const match of text.matchAll(/\S*[\p{L}\p{N}]\S*/gu)) spans.push(match.index, match.index + match[0].length);
  const cost = 256 + terms.length * 44 + (offsets.length + spans.length) * 4 + text.length * 2;
  const tokens = {
    terms,
    numbers: Uint32Array.from(numbers),
    numbering,
    offsets: Uint32Array.from(offsets),
    spans: Uint32Array.from(spans),
    html: undefined,
    cost,
  };
  known.set(text, tokens);
  return tokens;
}
