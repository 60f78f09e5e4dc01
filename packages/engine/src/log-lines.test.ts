import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readLogLines } from "./log-lines.ts";
import { cut, frame } from "./testing/frames.ts";

async function read(chunks: readonly Buffer[]) {
  const lines = [];
  for await (const line of readLogLines(Readable.from(chunks, { objectMode: false }))) lines.push(line);
  return lines;
}

const anyLine = fc.record({
  stream: fc.constantFrom("stdout" as const, "stderr" as const),
  text: fc.string({ unit: fc.constantFrom(...'ab €😀\t{}"'), minLength: 1, maxLength: 20 }),
});

describe("readLogLines", () => {
  test("gives whole lines in their order, wherever frames and chunks are cut, umlauts and emoji included", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyLine, { maxLength: 12 }),
        fc.array(fc.nat({ max: 800 }), { maxLength: 40 }),
        async (lines, cuts) => {
          const bytes = Buffer.concat(lines.map(({ stream, text }) => frame(stream, Buffer.from(`${text}\n`))));

          expect(await read(cut(bytes, cuts))).toEqual(lines);
        },
      ),
    );
  });

  test("joins a line that the engine split over several frames, also with the other stream between", async () => {
    const bytes = [
      frame("stdout", Buffer.from("one ")),
      frame("stderr", Buffer.from("between\n")),
      frame("stdout", Buffer.from("line\nnext")),
    ];

    expect(await read(bytes)).toEqual([
      { stream: "stderr", text: "between" },
      { stream: "stdout", text: "one line" },
      { stream: "stdout", text: "next" },
    ]);
  });

  test("keeps empty lines, drops carriage returns, and gives a last line without its end", async () => {
    expect(await read([frame("stdout", Buffer.from("a\r\n\nb"))])).toEqual([
      { stream: "stdout", text: "a" },
      { stream: "stdout", text: "" },
      { stream: "stdout", text: "b" },
    ]);
  });

  test("cuts a line that never ends instead of keeping all of it", async () => {
    const piece = frame("stdout", Buffer.alloc(256 * 1024, "x"));

    const lines = await read(Array.from({ length: 10 }, () => piece));

    expect(lines.length).toBeGreaterThan(1);
    expect(lines.map(({ text }) => text.length).reduce((sum, length) => sum + length)).toBe(10 * 256 * 1024);
    for (const { text } of lines) expect(text.length).toBeLessThanOrEqual(1024 * 1024 + 256 * 1024);
  });

  test("gives nothing for an empty log", async () => {
    expect(await read([])).toEqual([]);
  });
});
