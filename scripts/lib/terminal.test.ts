import { describe, expect, test, vi } from "vitest";
import { formatDuration, formatTable, Terminal } from "./terminal.mjs";

function collect(options: { isTTY?: boolean; env?: Record<string, string> }) {
  const written: string[] = [];
  const output = { isTTY: options.isTTY ?? false, write: (text: string) => written.push(text) };
  return { terminal: new Terminal({ output, env: options.env ?? {} }), text: () => written.join("") };
}

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [999.6, "1.0 s"],
  [1_234, "1.2 s"],
  [59_940, "59.9 s"],
  [59_999, "1 min 0 s"],
  [125_000, "2 min 5 s"],
])("%d ms reads as %s", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test("a table's first column starts at the left, the others end at the right", () => {
  const rows = [
    ["", "passed"],
    ["unit", "7"],
  ];

  expect(formatTable(rows)).toEqual(["      passed", "unit       7"]);
});

describe("Terminal", () => {
  test("a finished step is one line with its outcome and its time", async () => {
    const { terminal, text } = collect({});

    const result = await terminal.step("Build thv", async () => 3, { describe: (files) => `${files} files` });

    expect(result).toBe(3);
    expect(text()).toMatch(/^✓ Build thv \(3 files\) \d+ ms\n$/);
  });

  test("a step that began earlier has the time since then", async () => {
    const { terminal, text } = collect({});
    await terminal.step("Build thv", async () => 3, { begin: performance.now() - 90_000 });
    expect(text()).toBe("✓ Build thv 1 min 30 s\n");
  });

  test("two steps at once share the line that counts, and what is printed meanwhile does not run into it", async () => {
    vi.useFakeTimers();
    const { terminal, text } = collect({ isTTY: true, env: { NO_COLOR: "1" } });
    let finish = () => {};
    const build = terminal.step("Build thv", () => new Promise<void>((resolve) => (finish = resolve)));
    const site = terminal.step("Build the site", () => new Promise<void>(() => {}));
    await vi.advanceTimersByTimeAsync(200);
    terminal.line("Read on");
    finish();
    await build;
    vi.useRealTimers();

    expect(text()).toMatch(/ {2}Build thv … \d+ ms · Build the site … \d+ ms/);
    expect(text()).toContain("\r\u001B[KRead on\n\r\u001B[K✓ Build thv ");
    expect(site).toBeInstanceOf(Promise);
  });

  test("a failed step says so and passes its error on", async () => {
    const { terminal, text } = collect({});
    const failure = new Error("no disk");

    await expect(terminal.step("Build thv", () => Promise.reject(failure))).rejects.toBe(failure);

    expect(text()).toMatch(/^✗ Build thv \d+ ms\n$/);
  });

  test.each([
    ["on a terminal", { isTTY: true }, true],
    ["with NO_COLOR set", { isTTY: true, env: { NO_COLOR: "1" } }, false],
    ["in CI", { isTTY: true, env: { CI: "true" } }, false],
    ["without a terminal", { isTTY: false }, false],
  ])("colour %s: %o", (_, options, isColoured) => {
    const { terminal } = collect(options);

    expect(terminal.style("red", "x") !== "x").toBe(isColoured);
  });

  test("nothing is printed after the last word", () => {
    const { terminal, text } = collect({});

    terminal.line("bye");
    terminal.mute();
    terminal.line("late");

    expect(text()).toBe("bye\n");
  });
});
