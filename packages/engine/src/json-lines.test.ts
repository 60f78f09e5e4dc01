import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJsonLines } from "./json-lines.ts";
import { cut } from "./testing/frames.ts";

async function read(chunks: readonly Buffer[]) {
  const values = [];
  for await (const value of readJsonLines(Readable.from(chunks, { objectMode: false }))) values.push(value);
  return values;
}

describe("readJsonLines", () => {
  test("gives every value, wherever the chunks are cut and whichever way lines end", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 10 }),
        fc.constantFrom("\n", "\r\n", "\n\n"),
        fc.array(fc.nat({ max: 800 }), { maxLength: 40 }),
        async (values, end, cuts) => {
          const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}${end}`).join(""));

          expect(JSON.stringify(await read(cut(bytes, cuts)))).toBe(JSON.stringify(values));
        },
      ),
    );
  });

  test("takes a last value without its end", async () => {
    expect(await read([Buffer.from('{"a":1}\n{"b"'), Buffer.from(":2}")])).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test("fails for what is not JSON", async () => {
    await expect(read([Buffer.from('{"a":1}\nnot json\n')])).rejects.toThrow(SyntaxError);
  });
});
