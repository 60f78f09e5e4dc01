import { Readable } from "node:stream";
import type { LogLine, LogPosition } from "@toolhive/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readExcerpt, readLogLines, skipOld } from "./log-lines.ts";
import { cut, frame } from "./testing/frames.ts";

async function read(chunks: readonly Buffer[], options = {}) {
  const lines = [];
  for await (const line of readLogLines(Readable.from(chunks, { objectMode: false }), options)) lines.push(line);
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

  test("marks the further pieces of a line that it cuts, each stream for itself, until the line ends", async () => {
    const long = frame("stdout", Buffer.alloc(1024 * 1024 + 1, "x"));
    const rest = [frame("stderr", Buffer.from("other\n")), frame("stdout", Buffer.from("end\nnext\n"))];

    const [first, ...more] = await read([long, ...rest]);

    expect(first).not.toHaveProperty("isContinued");
    expect(more).toEqual([
      { stream: "stderr", text: "other" },
      { stream: "stdout", text: "end", isContinued: true },
      { stream: "stdout", text: "next" },
    ]);
  });

  test("gives nothing for an empty log", async () => {
    expect(await read([])).toEqual([]);
  });
});

describe("a log that is read from its newest lines", () => {
  async function* streamLines(...texts: string[]) {
    for (const text of texts) yield { stream: "stdout" as const, text };
  }

  async function readFrom(lines: AsyncIterable<LogLine>, position: LogPosition) {
    const texts = [];
    for await (const { text } of skipOld(lines, position)) texts.push(text);
    return texts;
  }

  async function follow(before: readonly string[], now: readonly string[], tail: number) {
    const { count, first } = await readExcerpt(streamLines(...before), 0);
    return await readFrom(streamLines(...now), { count: Math.max(0, count - tail), first });
  }

  test("is cut to them", async () => {
    const { newest, count } = await readExcerpt(streamLines("a", "b", "c"), 2);

    expect([newest.map(({ text }) => text), count]).toEqual([["b", "c"], 3]);
  });

  test.each([
    ["begins with them and goes on", ["a", "b", "c"], ["a", "b", "c", "d"], ["b", "c", "d"]],
    ["begins at its begin when there are fewer", ["a"], ["a", "b"], ["a", "b"]],
    ["misses nothing when it was empty", [], ["a", "b", "c"], ["a", "b", "c"]],
    ["misses nothing when it was rotated meanwhile", ["a", "b", "c", "d"], ["e", "f", "g"], ["e", "f", "g"]],
  ])("%s when it is followed", async (_title, before, now, texts) => {
    expect(await follow(before, now, 2)).toEqual(texts);
  });

  test("goes on behind the position where an earlier reader was, also behind lines of the same text and moment", async () => {
    const position: LogPosition = { count: 0 };
    const first = await readFrom(streamLines("ready", "a", "ready"), position);
    const second = await readFrom(streamLines("ready", "a", "ready", "ready", "b"), position);
    // It was cut off before it was where the one before had been.
    const third = await readFrom(streamLines("ready", "a"), position);
    const fourth = await readFrom(streamLines("ready", "a", "ready", "ready", "b", "c"), position);

    expect([first, second, third, fourth]).toEqual([["ready", "a", "ready"], ["ready", "b"], [], ["c"]]);
  });

  test("goes on behind the newest moment where the log was rotated since", async () => {
    const stamped = async function* (...lines: [number, string][]) {
      for (const [at, text] of lines) yield { stream: "stdout" as const, text, at };
    };
    const position: LogPosition = { count: 0 };
    await readFrom(stamped([1, "a"], [2, "b"], [3, "c"]), position);

    expect(await readFrom(stamped([2, "b"], [3, "c"], [4, "d"]), position)).toEqual(["d"]);
    expect(await readFrom(stamped([2, "b"], [3, "c"], [4, "d"], [4, "e"]), position)).toEqual(["e"]);
  });
});

describe("readLogLines with moments", () => {
  test("takes the moment of each line off, wherever the chunks are cut, and those of further pieces", async () => {
    const moment = "2026-11-22T17:44:19.651757028Z ";
    const bytes = Buffer.concat([
      frame("stdout", Buffer.from(`${moment}${"a".repeat(50)}`)),
      frame("stderr", Buffer.from("2026-11-22T17:44:22Z with a space\n")),
      frame("stdout", Buffer.from(`${moment}b\n`)),
      frame("stdout", Buffer.from("no moment\n")),
    ]);
    for (let at = 1; at < bytes.length; at += 1) {
      const lines = await read(cut(bytes, [at]), { isStamped: true });

      expect(lines).toEqual([
        { stream: "stderr", text: "with a space", at: Date.parse("2026-11-22T17:44:22Z") },
        { stream: "stdout", text: `${"a".repeat(50)}b`, at: Date.parse(moment.trim()) },
        { stream: "stdout", text: "no moment" },
      ]);
    }
  });
});
