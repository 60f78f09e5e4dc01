/** What a handler gets follows from the definition: the type, checked by the compiler, and the values. */
import { resolve } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import { type CommandDefinition, defineCommand } from "./command.ts";
import type { Input } from "./input.ts";
import { parseInvocation } from "./parse.ts";

const COOK = {
  path: ["cook"],
  summary: "Cooks",
  positionals: [
    { name: "MEAL", summary: "What", values: ["soup", "stew"] },
    { name: "PLACE", summary: "Where", isOptional: true },
  ],
  flags: {
    name: { kind: "string", summary: "Name" },
    "dry-run": { kind: "bool", summary: "Nothing is done" },
    timeout: { kind: "int", default: 30, min: 0, max: 3_600, unit: "seconds", summary: "Seconds" },
    port: { kind: "port", summary: "Port" },
    "free-port": { kind: "port", min: 0, default: 0, summary: "Port, or any" },
    memory: { kind: "memory", summary: "Memory" },
    wait: { kind: "duration", isPositive: true, default: "1m30s", summary: "Time" },
    recipe: { kind: "path", isRequired: true, summary: "File", env: "RECIPE" },
    notes: { kind: "path", mayBeStdin: true, summary: "File" },
    heat: { kind: "string", values: ["low", "high"], default: "low", summary: "Heat" },
    spice: { kind: "stringArray", summary: "Spice" },
    guests: { kind: "strings", default: "ann,bob", summary: "Guests" },
  },
  examples: [],
} as const satisfies CommandDefinition;

const PEEL = {
  path: ["peel"],
  summary: "Peels",
  positionals: [{ name: "FRUIT", summary: "What", isOptional: true, isRepeated: true }],
  flags: {},
  examples: [],
} as const satisfies CommandDefinition;

const TREE = { commands: [defineCommand(COOK, async () => async () => undefined)], groups: [] };

function cook(...argv: string[]) {
  const invocation = parseInvocation(["cook", "soup", ...argv], TREE, { RECIPE: "book.txt" });
  if (invocation.kind !== "run") throw new Error("expected a command");
  return invocation.input;
}

describe("the type of an input", () => {
  test("has a value for each flag, which may be absent unless there is a default or it is required", () => {
    type Cook = Input<typeof COOK>;

    expectTypeOf<Cook["name"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Cook["dryRun"]>().toEqualTypeOf<boolean>();
    expectTypeOf<Cook["timeout"]>().toEqualTypeOf<number>();
    expectTypeOf<Cook["port"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Cook["freePort"]>().toEqualTypeOf<number>();
    expectTypeOf<Cook["memory"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Cook["wait"]>().toEqualTypeOf<number>();
    expectTypeOf<Cook["recipe"]>().toEqualTypeOf<string>();
    expectTypeOf<Cook["heat"]>().toEqualTypeOf<"low" | "high">();
    expectTypeOf<Cook["spice"]>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Cook["guests"]>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Cook["positionals"]>().toEqualTypeOf<readonly ["soup" | "stew", string | undefined]>();
    expectTypeOf<Input<typeof PEEL>["positionals"]>().toEqualTypeOf<readonly string[]>();
  });

  test("does not compile with a flag that the command does not have", () => {
    const readWrong = (input: Input<typeof COOK>) => [
      // @ts-expect-error: misspelt.
      input.nmae,
      // @ts-expect-error: misspelt.
      input.isGiven("nmae"),
      // @ts-expect-error: no value of this flag.
      input.heat === "medium",
      input.isGiven("dryRun"),
    ];

    expect(readWrong(cook("--dry-run") as unknown as Input<typeof COOK>)).toEqual([undefined, false, false, true]);
  });

  test("does not compile with the handler of a command that has other flags", () => {
    const handleCook = async (_input: Input<typeof COOK>) => undefined;
    // @ts-expect-error: asks for flags that this command does not have.
    const command = defineCommand(PEEL, async () => handleCook);

    expect(command.path).toEqual(["peel"]);
  });
});

describe("the values of an input", () => {
  test("are those of the defaults when the flags are absent", () => {
    expect(cook()).toMatchObject({
      positionals: ["soup"],
      name: undefined,
      dryRun: false,
      timeout: 30,
      port: undefined,
      freePort: 0,
      wait: 90_000,
      recipe: resolve("book.txt"),
      notes: undefined,
      heat: "low",
      spice: [],
      guests: ["ann", "bob"],
    });
  });

  test.each([
    [["--timeout=0"], { timeout: 0 }],
    [["--port=65535"], { port: 65_535 }],
    [["--free-port=0"], { freePort: 0 }],
    [["--memory=512m"], { memory: 512 * 1024 * 1024 }],
    [["--wait=2s"], { wait: 2_000 }],
    [["--recipe=a/b"], { recipe: resolve("a/b") }],
    [["--recipe=/a/b"], { recipe: "/a/b" }],
    [["--recipe="], { recipe: "" }],
    [["--notes=-"], { notes: "-" }],
    [["--notes=a/b"], { notes: "a/b" }],
    [["--guests=x, y", "--guests=z"], { guests: ["x", "y", "z"] }],
  ])("%j", (argv, expected) => {
    expect(cook(...argv)).toMatchObject(expected);
  });

  test("say whether a flag was given, on the command line or by its variable", () => {
    const { isGiven } = cook("--dry-run");

    expect(["dryRun", "recipe", "timeout", "name"].map(isGiven)).toEqual([true, true, false, false]);
  });

  test.each([
    ["--timeout=-1", '--timeout is "-1" but must be between 0 and 3600 seconds.'],
    ["--timeout=3601", '--timeout is "3601" but must be between 0 and 3600 seconds.'],
    ["--port=0", '--port is "0" but must be between 1 and 65535.'],
    ["--port=65536", '--port is "65536" but must be between 1 and 65535.'],
    ["--port=http", '--port is "http" but must be a whole number.'],
    ["--free-port=-1", '--free-port is "-1" but must be between 0 and 65535.'],
    ["--memory=1x", '--memory is "1x" but must be a size as 512m or 2g, or 0 for no limit.'],
    ["--wait=0", '--wait is "0" but must be positive.'],
    ["--wait=soon", '--wait is "soon" but must be a duration like 30s or 1m30s.'],
    ["--heat=medium", '--heat is "medium" but must be low or high.'],
  ])("%s is refused with one message", (flag, message) => {
    expect(() => cook(flag)).toThrow(expect.objectContaining({ code: "USAGE", message }));
  });
});
