import fc from "fast-check";
import { expect, test } from "vitest";
import { spliceInPlace } from "./json-scanner.ts";
import { formatLine, measureLine } from "./outgoing-line.ts";

/** Text around a span that is replaced: mostly small, at times so large that it is not copied. */
const side = fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom("y".repeat(30_000)));
const replacement = fc.record({ before: side, replaced: fc.string({ maxLength: 20 }), after: side, by: fc.string() });

test("a line is the message with its edits, whatever its size, and a newline", () => {
  fc.assert(
    fc.property(replacement, ({ before, replaced, after, by }) => {
      const start = Buffer.byteLength(before);
      const span = { start, end: start + Buffer.byteLength(replaced) };

      const line = formatLine(Buffer.from(before + replaced + after), [{ span, bytes: Buffer.from(by) }]);

      expect(Buffer.concat(line).equals(Buffer.from(`${before}${by}${after}\n`))).toBe(true);
      expect(measureLine(line)).toBe(Buffer.byteLength(`${before}${by}${after}\n`));
    }),
  );
});

test("a large message is written from where it is, without another copy of it", () => {
  const text = Buffer.alloc(10_000, "x");

  const line = formatLine(text, [{ span: { start: 10, end: 11 }, bytes: Buffer.from("long id") }]);

  expect(line.filter(({ length }) => length > 1000).every(({ buffer }) => buffer === text.buffer)).toBe(true);
});

test("replacing in place gives the same text, and touches nothing outside the message", () => {
  fc.assert(
    fc.property(replacement, ({ before, replaced, after, by }) => {
      const start = Buffer.byteLength(before);
      const span = { start, end: start + Buffer.byteLength(replaced) };
      const around = Buffer.from(`<<${before}${replaced}${after}>>`);

      const text = spliceInPlace(around.subarray(2, -2), { span, bytes: Buffer.from(by) });

      expect(text.equals(Buffer.from(before + by + after))).toBe(true);
      expect(around.toString("latin1", 0, 2) + around.toString("latin1", around.length - 2)).toBe("<<>>");
    }),
  );
});
