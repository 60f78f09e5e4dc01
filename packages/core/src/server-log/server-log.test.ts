import { PassThrough } from "node:stream";
import { describe, expect, test, vi } from "vitest";
import { MemoryLogFile } from "../testing/memory-log-file.ts";
import { Allowance } from "./allowance.ts";
import type { StampedLine } from "./log-line.ts";
import { ServerLog } from "./server-log.ts";

const ALL = { tail: Number.POSITIVE_INFINITY };
const WAIT = { timeout: 20_000, interval: 5 };
const START = Date.parse("2026-01-31T12:00:00.000Z");

class RefusingFile extends MemoryLogFile {
  refusal: Error | undefined;

  override async append(bytes: Buffer): Promise<void> {
    if (this.refusal) throw this.refusal;
    await super.append(bytes);
  }
}

/** It refills between any two reads. */
function unlimited(): Allowance {
  let now = 0;
  return new Allowance(() => {
    now += 60_000;
    return now;
  });
}

function openLog({ file = new RefusingFile("echo", new Map()), allowance = new Allowance() } = {}) {
  const said: { level: string; message: string; reason: unknown }[] = [];
  const at = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) => {
    said.push({ level, message, reason: fields.reason });
  };
  const clock = { now: START };
  const log = new ServerLog({
    workload: "echo",
    file,
    log: { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") },
    now: () => clock.now,
  });
  const stderr = new PassThrough();
  const recorder = log.record(stderr, allowance);
  const write = async (text: string) => {
    stderr.write(text);
    await vi.waitFor(() => expect(stderr.readableLength).toBe(0), WAIT);
    await log.flush();
  };
  return { log, file, stderr, recorder, write, said, clock };
}

const listTexts = (lines: readonly StampedLine[]) => lines.map(({ text }) => text);

async function collect(lines: AsyncIterable<StampedLine>, into: string[]): Promise<void> {
  for await (const { text } of lines) into.push(text);
}

describe("a server's log", () => {
  test("is read in larger and larger pieces while it is long, and each of its lines is decoded once", async () => {
    const { log, file } = openLog();
    const texts = Array.from(
      { length: 10_000 },
      (_, index) => `line ${index}, long enough that all of them are a megabyte`,
    );
    await file.append(Buffer.from(texts.map((text) => `2026-01-31T12:00:00.000Z ${text}\n`).join("")));
    const parse = vi.spyOn(Date, "parse");

    const lines = await log.read(ALL);
    const decoded = parse.mock.calls.length;
    parse.mockRestore();

    expect(listTexts(lines)).toEqual(texts);
    expect(decoded).toBe(texts.length);
  });

  test("has the lines of standard error with their moments, and the rest of one without an end", async () => {
    const { log, stderr, write, clock } = openLog();
    await write("one\ntwo\r\nthr");
    clock.now += 1_500;
    stderr.end("ee");

    await vi.waitFor(async () => {
      expect(await log.read(ALL)).toEqual([
        { at: START, text: "one" },
        { at: START, text: "two" },
        { at: START + 1_500, text: "three" },
      ]);
    }, WAIT);
  });

  test("gives the newest lines, and those since a moment", async () => {
    const { log, write, clock } = openLog();
    for (const line of ["one", "two", "three", "four"]) {
      await write(`${line}\n`);
      clock.now += 1_000;
    }

    expect(listTexts(await log.read({ tail: 2 }))).toEqual(["three", "four"]);
    expect(listTexts(await log.read({ tail: 0 }))).toEqual([]);
    expect(listTexts(await log.read({ ...ALL, since: START + 1_000 }))).toEqual(["two", "three", "four"]);
    expect(listTexts(await log.read({ tail: 1, since: START + 1_000 }))).toEqual(["four"]);
  });

  test("is found again by the next supervisor", async () => {
    const disk = new Map<string, Buffer>();
    await openLog({ file: new RefusingFile("echo", disk) }).write("before\n");
    const next = openLog({ file: new RefusingFile("echo", disk) });
    await next.write("after\n");

    expect(listTexts(await next.log.read(ALL))).toEqual(["before", "after"]);
  });

  test("finds the newest of many lines however long they are", async () => {
    const { log, write } = openLog();
    for (let line = 0; line < 40; line += 1) await write(`${line}${"x".repeat(5_000)}\n`);

    expect((await log.read({ tail: 39 })).map(({ text }) => Number.parseInt(text, 10))).toEqual(
      Array.from({ length: 39 }, (_, index) => index + 1),
    );
  });

  test("shows lines of standard output that are no messages where they came, and writes none of them down", async () => {
    const disk = new Map<string, Buffer>();
    const { log, write, clock } = openLog({ file: new RefusingFile("echo", disk) });
    await write("one\n");
    clock.now += 1;
    log.addStray("printed by mistake");
    clock.now += 1;
    await write("two\n");

    expect(listTexts(await log.read(ALL))).toEqual(["one", "printed by mistake", "two"]);
    expect(String(disk.get("echo"))).not.toContain("mistake");
  });

  test("cuts a line that is too long into several", async () => {
    const { log, write } = openLog();
    await write(`${"a".repeat(40_000)}\nb\n`);

    const texts = listTexts(await log.read(ALL));

    expect(texts.map(({ length }) => length)).toEqual([16_384, 16_384, 7_232, 1]);
    expect(texts.join("")).toBe(`${"a".repeat(40_000)}b`);
  });

  test("of a removed workload is written no more", async () => {
    const disk = new Map<string, Buffer>();
    const { log, write } = openLog({ file: new RefusingFile("echo", disk) });
    await write("one\n");

    await log.remove();
    await write("two\n");

    expect([...disk.keys()]).toEqual([]);
  });
});

describe("the last lines of a run", () => {
  test("are the newest, of standard error and of what is no message", async () => {
    const { recorder, stderr, write } = openLog();
    await write("one\ntwo\nthree\n");
    recorder.sample.add("usage: server");
    stderr.end("the end");

    await vi.waitFor(
      () => expect(recorder.sample.lastLines.slice(-3)).toEqual(["three", "usage: server", "the end"]),
      WAIT,
    );
  });

  test("are there when the disk is full, and after a flood", async () => {
    const { file, recorder, stderr, log } = openLog();
    file.refusal = Object.assign(new Error("no space"), { code: "ENOSPC" });
    const flood = Buffer.from(`${"x".repeat(99)}\n`.repeat(10_000));
    for (let round = 0; round < 20; round += 1) stderr.write(flood);
    stderr.end("so this is why\n");

    await vi.waitFor(() => expect(recorder.sample.lastLines.at(-1)).toBe("so this is why"), WAIT);
    await log.flush();
  });
});

describe("a disk that refuses", () => {
  test("is logged once, delays nothing, and puts a line into the log that counts the missing ones", async () => {
    const { log, file, write, said, clock } = openLog();
    await write("one\n");
    file.refusal = Object.assign(new Error("no space left"), { code: "ENOSPC" });
    for (let line = 0; line < 50; line += 1) {
      await write(`lost ${line}\n`);
      clock.now += 100;
    }

    expect(said).toEqual([
      { level: "warn", message: "server's log cannot be written, the server goes on without it", reason: "ENOSPC" },
    ]);
    expect(listTexts(await log.read(ALL))).toEqual([
      "one",
      "thv: left out 50 lines, the log could not be written (ENOSPC)",
    ]);

    file.refusal = undefined;
    clock.now += 1_000;
    await write("back\n");

    expect(listTexts(await log.read(ALL))).toEqual([
      "one",
      "thv: left out 50 lines, the log could not be written (ENOSPC)",
      "back",
    ]);
    expect(said.map(({ level }) => level)).toEqual(["warn", "info"]);
  });

  test("by never answering does not let what waits grow, and the stream is read on", async () => {
    let answer: () => void = () => undefined;
    const file = new RefusingFile("echo", new Map());
    const append = file.append.bind(file);
    file.append = async (bytes) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      file.append = append;
      await append(bytes);
    };
    const { log, stderr } = openLog({ file, allowance: unlimited() });
    const chunk = `${"x".repeat(1_000)}\n`.repeat(100);
    for (let round = 0; round < 30; round += 1) stderr.write(chunk);
    await vi.waitFor(() => expect(stderr.readableLength).toBe(0), WAIT);

    answer();
    const lines = await log.read(ALL);

    // Two MiB of the three waited; the rest is counted.
    expect(lines.length).toBeLessThan(2_200);
    expect(lines.length).toBeGreaterThan(1_900);
    expect(listTexts(lines).join()).toMatch(/left out \d{3,4} lines, the disk was too slow/);
  });
});

describe("a flood", () => {
  test("is left out beyond the allowance, and the log says how much", async () => {
    const { log, stderr } = openLog();
    const chunk = Buffer.from(`${"x".repeat(99)}\n`.repeat(5_000));
    for (let round = 0; round < 40; round += 1) stderr.write(chunk);
    stderr.end("the end\n");
    await vi.waitFor(() => expect(stderr.readableEnded).toBe(true), WAIT);

    const texts = listTexts(await log.read(ALL));

    expect(texts.at(-1)).toBe("the end");
    const leftOut = texts.flatMap((text) => /^thv: left out (\d+) bytes, more than 1048576 were/.exec(text)?.[1] ?? []);
    expect(leftOut.map(Number).reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(10_000_000);
  });
});

describe("followed", () => {
  test("gives each line once, whether it was there or came", async () => {
    const { log, stderr } = openLog();
    const leave = new AbortController();
    const over = new AbortController();
    const texts: string[] = [];
    for (let line = 0; line < 500; line += 1) stderr.write(`${line}\n`);
    const following = collect(log.follow(ALL, { signal: leave.signal, over: over.signal }), texts);
    for (let line = 500; line < 1_000; line += 1) stderr.write(`${line}\n`);

    await vi.waitFor(() => expect(texts.length).toBeGreaterThanOrEqual(1_000), WAIT);
    over.abort();
    await following;

    expect(texts.map(Number)).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
  });

  test("goes on with the next run, and ends with everything that came before the end", async () => {
    const { log, write, stderr } = openLog();
    const over = new AbortController();
    const texts: string[] = [];
    await write("old\n");
    const following = collect(
      log.follow({ tail: 1 }, { signal: new AbortController().signal, over: over.signal }),
      texts,
    );
    await vi.waitFor(() => expect(texts).toEqual(["old"]), WAIT);
    stderr.end("last words of the first run\n");
    await vi.waitFor(() => expect(texts).toHaveLength(2), WAIT);
    const next = new PassThrough();
    log.record(next);
    next.end("second run\n");
    await vi.waitFor(() => expect(next.readableEnded).toBe(true), WAIT);

    over.abort();
    await following;

    expect(texts).toEqual(["old", "last words of the first run", "second run"]);
  });

  test("can be left by the signal while nothing comes", async () => {
    const { log, write } = openLog();
    await write("one\n");
    const leave = new AbortController();
    const texts: string[] = [];
    const following = collect(log.follow(ALL, { signal: leave.signal, over: new AbortController().signal }), texts);
    await vi.waitFor(() => expect(texts).toEqual(["one"]), WAIT);

    leave.abort();

    await following;
  });

  test("by a reader who does not read leaves lines out instead of keeping them all", async () => {
    const { log, stderr, write } = openLog({ allowance: unlimited() });
    await write("first\n");
    const over = new AbortController();
    const reader = log.follow(ALL, { signal: new AbortController().signal, over: over.signal });
    expect((await reader.next()).value).toMatchObject({ text: "first" });
    for (let round = 0; round < 30; round += 1) stderr.write(`${"x".repeat(1_000)}\n`.repeat(100));
    await vi.waitFor(() => expect(stderr.readableLength).toBe(0), WAIT);

    over.abort();
    const texts: string[] = [];
    await collect(reader, texts);

    expect(texts.length).toBeLessThan(1_100);
    expect(texts.at(-1)).toMatch(/^thv: left out \d+ lines, the reader is too slow$/);
  });
});
