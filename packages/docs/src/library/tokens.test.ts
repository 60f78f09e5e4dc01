import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateTokens } from "./tokens.ts";

/** The definition: words, numbers, runs of line ends, single signs. */
const PIECES = /[A-Za-z]+|\d+|\n+|[^\sA-Za-z\d]/g;

function countPieces(text: string): number {
  return [...text.matchAll(PIECES)].reduce((sum, [piece]) => {
    if (/\d/.test(piece)) return sum + Math.ceil(piece.length / 3);
    return sum + (/[A-Za-z]/.test(piece) ? Math.ceil(piece.length / 6) : 1);
  }, 0);
}

test("tokens of a text are those of its words, numbers, line ends and signs, whatever its script", () => {
  const ascii = fc.string({ unit: fc.constantFrom(..."abcXYZ019 \n\r\t-_.,é\u00a0\u2003\ufeff漢😀"), maxLength: 60 });

  fc.assert(
    fc.property(fc.oneof(ascii, fc.string({ unit: "binary" })), (text) => estimateTokens(text) === countPieces(text)),
  );
});

test.each([
  ["", 0],
  ["a", 1],
  ["internationalization", 4],
  ["12345", 2],
  ["two words", 2],
  ["one\n\n\ntwo", 3],
  ["`--flag`", 5],
])("%j has %d", (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});
