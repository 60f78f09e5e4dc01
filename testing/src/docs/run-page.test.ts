import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PageShell } from "./page-shell.ts";
import { runPage } from "./run-page.ts";

/** Stands for thv: keeps what it is given in a file of the home. */
const KEEP = `#!/usr/bin/env node
const { appendFileSync, readFileSync } = require("node:fs");
const [verb, value] = process.argv.slice(2);
const file = process.env.HOME + "/kept";
if (verb === "add") { appendFileSync(file, value + "\\n"); console.log(value + " is kept at http://127.0.0.1:" + (20000 + process.pid % 1000)); }
else if (verb === "list") process.stdout.write(readFileSync(file, "utf8"));
else if (verb === "home") console.log(process.env.HOME);
else { console.error("keep: unknown verb " + verb); process.exitCode = 64; }
`;

let home = "";

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "thv-page-"));
  await mkdir(join(home, "bin"));
  await writeFile(join(home, "bin/keep"), KEEP);
  await chmod(join(home, "bin/keep"), 0o755);
});

afterEach(() => rm(home, { recursive: true }));

const options = () => ({
  cwd: home,
  env: { HOME: home, PATH: [join(home, "bin"), process.env.PATH].join(delimiter) },
  aliases: new Map([[home, "~"]]),
});

const block = (meta: string, ...lines: string[]) => [`\`\`\`bash ${meta}`, ...lines, "```", ""].join("\n");
const output = (...lines: string[]) => ["```text output", ...lines, "```", ""].join("\n");

describe("runPage", () => {
  test("blocks share a shell and a home, and shown output may differ in its port", async () => {
    const source = [
      block("run", "word=pear", "keep add apple"),
      output("apple is kept at http://127.0.0.1:49296"),
      block("run", 'keep add "$word" > /dev/null', "keep list"),
      output("apple", "pear"),
    ].join("\n");

    expect(await runPage(source, options())).toEqual({ failures: [], source });
  });

  test("output that differs is a failure with the line, and the blocks behind it are run", async () => {
    const source = [
      block("run", "keep add apple"),
      output("pear is kept"),
      block("run", "keep list"),
      output("plum"),
    ].join("\n");

    const { failures } = await runPage(source, options());

    expect(failures).toHaveLength(2);
    expect(failures[0]).toMatch(/^Line 5: [\s\S]*shown: {3}pear is kept\nprinted: apple is kept/);
    expect(failures[1]).toContain("printed: apple");
  });

  test("a block that fails ends the page, with what it printed", async () => {
    const source = [block("run", "keep eat apple"), block("run", "keep add apple")].join("\n");

    const { failures } = await runPage(source, options());

    expect(failures).toEqual([
      expect.stringMatching(/^Line 1: the block ended with 64 instead of 0\.[\s\S]*unknown verb eat/),
    ]);
  });

  test("a failure within a block is not hidden by the commands behind it", async () => {
    const { failures } = await runPage(block("run", "keep eat apple", "keep home"), options());

    expect(failures).toHaveLength(1);
  });

  test("a block may be expected to fail, and fails when it does not", async () => {
    const expected = await runPage(block('run exit=64 unshown="A test"', "keep eat apple"), options());
    const missing = await runPage(block("run exit=64", "keep home"), options());

    expect(expected.failures).toEqual([]);
    expect(missing.failures).toEqual([expect.stringContaining("ended with 0 instead of 64")]);
  });

  test("the home's path is shown as ~", async () => {
    const source = [block("run", "keep home"), output("~")].join("\n");

    expect((await runPage(source, options())).failures).toEqual([]);
  });

  test("recording writes what was printed into the blocks that differ and leaves the others", async () => {
    const source = [
      block("run", "keep add apple"),
      output("apple is kept at http://127.0.0.1:1234"),
      "1. Look:",
      "",
      "   ```bash run",
      "   keep add pear > /dev/null; keep list",
      "   ```",
      "",
      "   ```text output",
      "   plum",
      "   ```",
      block("run", "keep home"),
      output("/root"),
    ].join("\n");

    const recorded = await runPage(source, { ...options(), isRecording: true });

    expect(recorded.failures).toEqual([]);
    expect(recorded.source).toBe(source.replace("   plum", "   apple\n   pear").replace("/root", "~"));
  });

  test("recorded output begins with the white space that the command prints", async () => {
    const source = [block("run", "printf '\\n  apple\\nplum\\n'"), output("apple")].join("\n");

    const recorded = await runPage(source, { ...options(), isRecording: true });

    expect(recorded.source).toContain("  apple\nplum\n");
    expect((await runPage(recorded.source, options())).failures).toEqual([]);
  });

  test("a block that prints what the page does not show is a failure, unless it is hidden or gives a reason", async () => {
    const source = [
      block("run hidden", "keep add apple"),
      block('run unshown="Its lines differ"', "keep list"),
      block("run", "word=pear"),
      block("run", 'keep add "$word"'),
    ].join("\n");

    expect((await runPage(source, options())).failures).toEqual([
      expect.stringMatching(/^Line 13: the block prints what the page does not show[\s\S]*pear is kept/),
    ]);
  });

  test("recording leaves out the lines that say that a command works", async () => {
    const source = [block("run", "echo Starting apple; keep home"), output("/root")].join("\n");

    const recorded = await runPage(source, { ...options(), isRecording: true });

    expect(recorded.source).toBe(source.replace("/root", "~"));
  });

  test("recording adds the output block that is missing, as far in as the command", async () => {
    const lines = (...between: string[]) => [
      "1. Look:",
      "   ```bash run",
      "   keep home",
      "   ```",
      ...between,
      "End.",
    ];

    const recorded = await runPage(lines("").join("\n"), { ...options(), isRecording: true });

    expect(recorded).toEqual({
      failures: [],
      source: lines("", "   ```text output", "   ~", "   ```", "").join("\n"),
    });
  });

  test("a block that does not say whether it is run is a failure", async () => {
    expect((await runPage(block("", "keep home"), options())).failures).toEqual([
      expect.stringMatching(/^Line 1: .*neither/),
    ]);
  });
});

describe("PageShell", () => {
  test("a command that reads its input gets none, and not the blocks behind it", async () => {
    await using session = await PageShell.start(options());

    expect(await session.run("cat; echo after")).toEqual({ output: "after\n", exitCode: 0 });
    expect(await session.run("echo next")).toEqual({ output: "next\n", exitCode: 0 });
  });

  test("both streams are kept in the order they were written", async () => {
    await using session = await PageShell.start(options());

    expect((await session.run("echo 1; echo 2 >&2; echo 3")).output).toBe("1\n2\n3\n");
  });

  test("a condition that does not hold is no failure", async () => {
    await using session = await PageShell.start(options());

    expect((await session.run("if false; then echo no; fi; false || echo yes")).exitCode).toBe(0);
  });

  test("a block that ends the shell is an error with what it printed", async () => {
    await using session = await PageShell.start(options());

    await expect(session.run("echo bye; exit 3")).rejects.toThrow(/ended the shell[\s\S]*bye/);
  });

  test("a block that hangs is an error with what it printed", async () => {
    await using session = await PageShell.start(options());

    await expect(session.run("echo waiting; sleep 600", { timeoutMs: 300 })).rejects.toThrow(
      /did not end[\s\S]*waiting/,
    );
  });
});
