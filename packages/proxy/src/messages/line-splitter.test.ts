import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

function split(chunks: readonly Buffer[], maxLineBytes = 1000): { lines: string[]; oversize: string[][] } {
  const lines: string[] = [];
  const oversize: string[][] = [];
  const splitter = new LineSplitter({
    maxLineBytes,
    onLine: (line) => lines.push(line.toString("latin1")),
    onOversize: (head, tail) => oversize.push([head.toString("latin1"), tail.toString("latin1")]),
  });
  for (const chunk of chunks) splitter.push(chunk);
  return { lines, oversize };
}

describe("LineSplitter", () => {
  test("finds the same lines however the bytes are cut into chunks", () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z"{}\xff]{0,20}$/)),
        fc.array(fc.integer({ min: 1, max: 30 })),
        (lines, sizes) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""), "latin1");
          const chunks: Buffer[] = [];
          let from = 0;
          for (const size of sizes) {
            chunks.push(bytes.subarray(from, from + size));
            from += size;
          }
          chunks.push(bytes.subarray(from));

          expect(split(chunks).lines).toEqual(lines.filter((line) => line !== ""));
        },
      ),
    );
  });

  test("skips a line above the bound, reports its ends once, and goes on with the next", () => {
    const { lines, oversize } = split([Buffer.from("aaaa"), Buffer.from("bbbb"), Buffer.from("cccc\nnext\n")], 6);

    expect(lines).toEqual(["next"]);
    expect(oversize).toEqual([["aaaabbbb", "aaaabbbbcccc"]]);
  });

  test("keeps an unfinished line to itself", () => {
    expect(split([Buffer.from("one\ntw")]).lines).toEqual(["one"]);
  });
});
