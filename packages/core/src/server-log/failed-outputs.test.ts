import { mkdtemp, readdir, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FailedOutputs, openFailedOutputs } from "./failed-outputs.ts";
import { FAILED_OUTPUT_DAYS, MAX_FAILED_OUTPUT_BYTES, MAX_FAILED_OUTPUTS } from "./log-limits.ts";

const AT = new Date("2026-01-31T12:00:00Z");
const HEADER = "thv: of the start of echo that failed at 2026-01-31T12:00:00.000Z: The server exited with code 1.";

let data: string;
let folder: string;
let now: number;
let outputs: FailedOutputs;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "thv-failed-"));
  folder = join(data, "logs", "failed");
  now = Date.now();
  outputs = openFailedOutputs(data, () => now);
});
afterEach(async () => {
  await rm(data, { recursive: true });
});

const keep = async (name: string, texts: readonly string[] = ["one"]) =>
  await outputs.keep(name, {
    at: AT,
    reason: "The server exited with code 1.",
    lines: texts.map((text) => ({ at: AT.getTime(), text })),
  });
const read = async (name: string) => (await outputs.read(name))?.map(({ text }) => text);

describe("the output of a failed start", () => {
  test("is kept with what it is of, for its owner alone", async () => {
    await keep("echo", ["Error: no key", "", "bye"]);

    expect(await read("echo")).toEqual([HEADER, "Error: no key", "", "bye"]);
    expect((await stat(join(folder, "echo.log"))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test("is replaced by that of a later one, and gone when it is forgotten", async () => {
    await keep("echo", ["one"]);
    await keep("echo", ["two"]);
    expect(await read("echo")).toEqual([HEADER, "two"]);

    await outputs.forget("echo");
    await outputs.forget("echo");

    expect(await read("echo")).toBeUndefined();
  });

  test("is bounded: its first and its last lines are kept", async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `${index} ${"x".repeat(1_000)}`);

    await keep("echo", lines);

    const kept = (await read("echo")) ?? [];
    expect((await stat(join(folder, "echo.log"))).size).toBeLessThan(MAX_FAILED_OUTPUT_BYTES + 1_000);
    expect([kept[1], kept.at(-1)]).toEqual([lines[0], lines.at(-1)]);
    const note = kept.findIndex((line) => line.startsWith("thv: left out "));
    expect(kept[note]).toBe(`thv: left out ${lines.length - (kept.length - 2)} lines`);
  });

  test("is forgotten when it is old, and when there are many newer ones", async () => {
    for (let count = 0; count < MAX_FAILED_OUTPUTS; count += 1) {
      await keep(`echo-${count}`);
      await utimes(join(folder, `echo-${count}.log`), new Date(now), new Date(now - 60_000 + count));
    }
    await keep("newest");

    expect((await readdir(folder)).length).toBe(MAX_FAILED_OUTPUTS);
    expect(await read("echo-0")).toBeUndefined();
    expect(await read("echo-1")).toEqual(expect.any(Array));

    now += (FAILED_OUTPUT_DAYS * 24 + 1) * 60 * 60 * 1_000;

    expect(await read("newest")).toBeUndefined();
  });
});
