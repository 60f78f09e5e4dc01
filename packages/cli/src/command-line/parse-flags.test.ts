import { ThvError } from "@toolhive/core/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CommandTree } from "./command.ts";
import { parseInvocation } from "./parse.ts";

const TREE: CommandTree = {
  commands: [
    {
      path: ["run"],
      summary: "Runs",
      positionals: [
        { name: "IMAGE", summary: "What it is" },
        { name: "OTHER", summary: "What it is", isOptional: true },
      ],
      takesRest: true,
      flags: {
        name: { short: "n", kind: "string", summary: "Name" },
        port: { short: "p", kind: "int", default: 8080, summary: "Port" },
        all: { short: "a", kind: "bool", summary: "All" },
        follow: { short: "f", kind: "bool", summary: "Follow" },
        env: { short: "e", kind: "stringArray", summary: "Env" },
        format: { kind: "string", default: "text", values: ["text", "json"], summary: "Format" },
        "secret-knob": { kind: "bool", hidden: true, summary: "Hidden" },
      },
      examples: [],
      load: async () => async () => undefined,
    },
  ],
  groups: [],
};

function parse(...argv: string[]) {
  const invocation = parseInvocation(["run", ...argv], TREE);
  if (invocation.kind !== "run") throw new Error("expected a command, got help");
  const { input, debug } = invocation;
  return {
    positionals: input.positionals,
    rest: input.rest,
    name: input.name,
    port: input.port,
    all: input.all,
    follow: input.follow,
    env: input.env,
    format: input.format,
    debug,
  };
}

function refusal(...argv: string[]): ThvError {
  try {
    parseInvocation(["run", ...argv], TREE);
  } catch (error) {
    if (error instanceof ThvError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("flags", () => {
  test("have their defaults when they are absent", () => {
    expect(parse("x")).toEqual({
      positionals: ["x"],
      rest: [],
      name: undefined,
      port: 8080,
      all: false,
      follow: false,
      env: [],
      format: "text",
      debug: false,
    });
  });

  test.each([
    [["--name", "a", "x"], { name: "a" }],
    [["--name=a", "x"], { name: "a" }],
    [["-n", "a", "x"], { name: "a" }],
    [["-na", "x"], { name: "a" }],
    [["-n=a", "x"], { name: "a" }],
    [["x", "--name", "a"], { name: "a" }],
    [["--name=", "x"], { name: "" }],
    [["--name=a=b", "x"], { name: "a=b" }],
    [["--name", "-dash", "x"], { name: "-dash" }],
    [["--name", "--all", "x"], { name: "--all", all: false }],
    [["--name", "first", "--name", "last", "x"], { name: "last" }],
    [["--port", "1", "x"], { port: 1 }],
    [["--port=-1", "x"], { port: -1 }],
    [["--port", "-1", "x"], { port: -1 }],
    [["-p9", "x"], { port: 9 }],
    [["--all", "x"], { all: true }],
    [["--all=true", "x"], { all: true }],
    [["--all=false", "x"], { all: false }],
    [["--all", "--all=false", "x"], { all: false }],
    [["-a", "x"], { all: true }],
    [["-af", "x"], { all: true, follow: true }],
    [["-afn", "a", "x"], { all: true, follow: true, name: "a" }],
    [["-afna", "x"], { all: true, follow: true, name: "a" }],
    [["-e", "A=1", "--env=B=2,3", "-eC=3", "x"], { env: ["A=1", "B=2,3", "C=3"] }],
    [["--format=json", "x"], { format: "json" }],
    [["--debug", "x"], { debug: true }],
    [["x", "--debug"], { debug: true }],
    [["x", "--secret-knob"], {}],
  ])("%j", (argv, expected) => {
    expect(parse(...argv)).toMatchObject({ positionals: ["x"], ...expected });
  });

  test("end at --, after which everything is for the server", () => {
    expect(parse("x", "y", "-a", "--", "--name", "z", "--", "-f")).toMatchObject({
      positionals: ["x", "y"],
      rest: ["--name", "z", "--", "-f"],
      all: true,
      follow: false,
      name: undefined,
    });
  });

  test("take a lone dash as a positional and as a value", () => {
    expect(parse("-")).toMatchObject({ positionals: ["-"] });
    expect(parse("x", "--name", "-")).toMatchObject({ name: "-" });
  });

  test.each([
    [["x", "--nmae", "a"], 'Unknown flag "--nmae" for thv run.', "Did you mean --name?"],
    [["x", "--al"], 'Unknown flag "--al" for thv run.', "Did you mean --all?"],
    [["x", "-z"], 'Unknown flag "-z" for thv run.', "thv run --help"],
    [["x", "--secret-kno"], 'Unknown flag "--secret-kno" for thv run.', "thv run --help"],
    [["x", "--no-all"], 'Unknown flag "--no-all" for thv run.', "thv run"],
    [["x", "--name"], "--name needs a value.", "--name VALUE"],
    [["x", "-n"], "--name needs a value.", "--name VALUE"],
    [["x", "--port", "ten"], '--port is "ten" but must be a whole number.', undefined],
    [["x", "--port="], '--port is "" but must be a whole number.', undefined],
    [["x", "--port", "1.5"], '--port is "1.5" but must be a whole number.', undefined],
    [["x", "--all=maybe"], '--all is "maybe" but must be true or false.', undefined],
    [["x", "--format", "yaml"], '--format is "yaml" but must be text or json.', undefined],
    [[], "thv run needs IMAGE.", "thv run --help"],
    [["x", "y", "z"], 'thv run does not take "z".', "-- z"],
  ] as const)("%j is refused", (argv, message, hint) => {
    const error = refusal(...argv);

    expect([error.code, error.exitCode, error.message]).toEqual(["USAGE", 64, message]);
    if (hint) expect(error.hint).toContain(hint);
  });

  test("of help win over everything that is wrong beside them, but not over an unknown flag before them", () => {
    expect(parseInvocation(["run", "--help"], TREE)).toEqual({ kind: "help", path: ["run"] });
    expect(parseInvocation(["run", "x", "y", "z", "-h"], TREE)).toEqual({ kind: "help", path: ["run"] });
  });

  test("mean the same in any order and form, and nothing after -- is one", () => {
    const value = fc.string({ unit: fc.constantFrom(..."ab=, -"), minLength: 1, maxLength: 6 });
    const flag = fc.oneof(
      value.map((text) => ({ forms: [["--name", text], [`--name=${text}`], ["-n", text]], is: { name: text } })),
      fc.integer().map((port) => ({ forms: [["--port", `${port}`], [`-p${port}`], [`--port=${port}`]], is: { port } })),
      fc.constant({ forms: [["--all"], ["-a"], ["--all=true"]], is: { all: true } }),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(flag, { selector: ({ is }) => Object.keys(is)[0] }),
        fc.array(fc.nat()),
        fc.array(fc.constantFrom("--name", "-a", "--", "text", "--unknown")),
        fc.nat(),
        (flags, picks, rest, position) => {
          const words = flags.map(({ forms }, index) => forms[(picks[index] ?? 0) % forms.length] ?? []);
          words.splice(position % (words.length + 1), 0, ["x"]);

          const parsed = parse(...words.flat(), "--", ...rest);

          expect(parsed).toMatchObject({
            positionals: ["x"],
            rest,
            ...Object.assign({}, ...flags.map(({ is }) => is)),
          });
        },
      ),
      { numRuns: 500 },
    );
  });

  test("never make the parser fail in any other way than with a usage error", () => {
    const word = fc.oneof(
      fc.constantFrom(
        "--",
        "-",
        "---",
        "--=",
        "-=",
        "--name",
        "-n",
        "--all=",
        "-aaa",
        "--__proto__",
        "--constructor=1",
        "",
      ),
      fc.string({ maxLength: 8 }),
      fc.string({ maxLength: 8 }).map((text) => `--${text}`),
      fc.string({ maxLength: 8 }).map((text) => `-${text}`),
    );
    fc.assert(
      fc.property(fc.array(word), (argv) => {
        try {
          parseInvocation(argv, TREE);
          parseInvocation(["run", ...argv], TREE);
        } catch (error) {
          expect(error).toMatchObject({ name: "ThvError", code: "USAGE" });
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
