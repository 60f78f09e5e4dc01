/** How a command ends. */
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../src/testing/served-thv.ts";

let context: ServedThv;

beforeEach(async () => {
  context = await ServedThv.start();
});

afterEach(async () => {
  await context[Symbol.asyncDispose]();
});

const thv: ServedThv["call"] = (argv, options) => context.call(argv, options);

describe("main", () => {
  test.each([
    [["lst"], "Did you mean: thv list"],
    [["frobnicate"], "thv --help"],
    [["run"], "thv run --help"],
  ] as const)("%j exits 64 with a hint, without usage text", async (argv, hint) => {
    const { code, stdout, stderr } = await thv(argv);

    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr).toMatch(/^Error: .*\nHint: .*\n$/);
    expect(stderr).toContain(hint);
  });

  test.each([[[]], [["--help"]], [["help"]], [["run", "--help"]]])(
    "%j prints help on stdout and exits 0",
    async (argv) => {
      const { code, stdout, stderr } = await thv(argv);

      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain("Usage:\n  thv ");
    },
  );

  test("shows causes and stacks with --debug only, wherever it stands", async () => {
    const calm = await thv(["restart", "nope"]);
    const debug = await thv(["restart", "nope", "--debug"]);

    expect(calm.stderr).not.toContain("    at ");
    expect(debug.stderr).toContain("    at ");
    expect(debug.code).toBe(calm.code);
  });

  test("names the help for the error to people and with --debug, and to no script", async () => {
    const script = await thv(["restart", "nope"]);
    const person = await thv(["restart", "nope"], { isTty: true });
    const debug = await thv(["restart", "nope", "--debug"]);

    expect(script.stderr).not.toContain("Explained by");
    for (const { stderr } of [person, debug]) expect(stderr).toContain("Explained by: thv help WORKLOAD_NOT_FOUND");
  });

  test("breaks a message at its words on a terminal, and leaves a hint whole, to be copied, and all lines to a script", async () => {
    const argv = ["run", "--memory", "quite-a-lot-of-it", "mcp/echo:1"];
    const [person, script] = [await thv(argv, { isTty: true, columns: 40 }), await thv(argv, { columns: 40 })];
    const [message = "", hint = ""] = script.stderr.split("\n");

    expect(message.length).toBeGreaterThan(40);
    const lines = stripVTControlCharacters(person.stderr).split("\n");
    const at = lines.findIndex((line) => line.startsWith("Hint:"));
    expect(lines.slice(0, at).join(" ")).toBe(message);
    for (const line of lines.slice(0, at)) expect(line.length).toBeLessThanOrEqual(40);
    expect(lines[at]).toBe(hint);
  });

  test("colours for people only", async () => {
    expect((await thv(["restart", "nope"], { isTty: true })).stderr).toContain("\u001b[31mError:\u001b[39m");
    expect((await thv(["restart", "nope"])).stderr).not.toContain("\u001b");
  });
});
