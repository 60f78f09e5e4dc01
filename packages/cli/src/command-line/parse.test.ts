import { ThvError } from "@toolhive/core/errors";
import { describe, expect, test } from "vitest";
import { COMMAND_GROUPS, COMMANDS } from "../commands.ts";
import type { Command, CommandTree } from "./command.ts";
import { COMMAND_HABITS, FLAG_HABITS } from "./habits.ts";
import { helpFor } from "./help.ts";
import { parseInvocation } from "./parse.ts";

function command(words: string, more: Partial<Command> = {}): Command {
  const load = async () => async () => undefined;
  return { path: words.split(" "), summary: `Does ${words}`, positionals: [], flags: {}, examples: [], load, ...more };
}

const TREE: CommandTree = {
  commands: [
    command("list"),
    command("logs", { positionals: [{ name: "WORKLOAD", summary: "What it is" }] }),
    command("logs prune"),
    command("vault set", {
      positionals: [{ name: "NAME", summary: "What it is" }],
      flags: { file: { kind: "string", summary: "File" } },
    }),
    command("vault list", { aliases: ["ls"] }),
    command("vault deep get"),
    command("vault open", {
      positionals: [{ name: "DOOR", summary: "What it is", values: ["front", "back"] }],
      flags: {
        key: { kind: "string", isRequired: true, env: "VAULT_KEY", summary: "Key" },
        wait: { kind: "duration", isRequired: true, summary: "Wait" },
        share: { kind: "float", default: 0.5, summary: "Share" },
        who: { kind: "strings", default: "a,b", summary: "Who" },
      },
    }),
    command("vault unlock", { replacedBy: ["vault", "open"] }),
    command("vault inner", { hidden: true }),
    command("show"),
    command("show all", { positionals: [] }),
  ],
  groups: [
    { path: ["vault"], summary: "Keep things" },
    { path: ["vault", "deep"], summary: "Keep things deep down" },
  ],
  topics: [{ name: "weather", summary: "Outside" }],
};

function run(...argv: string[]) {
  const invocation = parseInvocation(argv, TREE);
  if (invocation.kind !== "run") throw new Error(`expected a command, got ${JSON.stringify(invocation)}`);
  const { command: found, input, debug } = invocation;
  return { path: found.path.join(" "), positionals: input.positionals, file: input.file, debug };
}

function failure(...argv: string[]): ThvError {
  try {
    parseInvocation(argv, TREE);
  } catch (error) {
    if (error instanceof ThvError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("commands in groups", () => {
  test.each([
    [["list"], "list", []],
    [["vault", "set", "a"], "vault set", ["a"]],
    [["vault", "ls"], "vault list", []],
    [["vault", "deep", "get"], "vault deep get", []],
    [["logs", "prune"], "logs prune", []],
    [["logs", "mine"], "logs", ["mine"]],
    [["vault", "set", "deep"], "vault set", ["deep"]],
  ])("%j runs %s", (argv, path, positionals) => {
    expect(run(...argv)).toMatchObject({ path, positionals });
  });

  test.each([
    [["--debug", "vault", "set", "a"]],
    [["vault", "--debug", "set", "a"]],
    [["vault", "set", "--debug", "a"]],
    [["vault", "set", "a", "--debug"]],
  ])("%j takes the global flag wherever it stands", (argv) => {
    expect(run(...argv)).toMatchObject({ path: "vault set", positionals: ["a"], debug: true });
  });

  test("flags of the command are read after its words", () => {
    expect(run("vault", "set", "--file=x", "a")).toMatchObject({ file: "x", positionals: ["a"] });
  });

  test.each([
    [[], []],
    [["--help"], []],
    [["help"], []],
    [["vault"], ["vault"]],
    [["vault", "-h"], ["vault"]],
    [["help", "vault"], ["vault"]],
    [
      ["help", "vault", "deep", "get"],
      ["vault", "deep", "get"],
    ],
    [
      ["vault", "set", "--help"],
      ["vault", "set"],
    ],
    [
      ["vault", "--debug", "deep"],
      ["vault", "deep"],
    ],
  ])("%j shows the help of %j", (argv, path) => {
    expect(parseInvocation(argv, TREE)).toEqual({ kind: "help", path });
  });

  test("a word that a group does not know is an error with the nearest one", () => {
    const error = failure("vault", "lst");

    expect(error).toMatchObject({ code: "USAGE", message: 'Unknown command "lst" for thv vault.' });
    expect(error.hint).toBe("Did you mean: thv vault list");
  });

  test("a word that nothing resembles points to the help of its group", () => {
    expect(failure("vault", "deep", "zzzzzz").hint).toBe("See the commands: thv vault deep --help");
  });

  test("help for a word that does not exist is an error", () => {
    expect(failure("help", "vault", "nothing").message).toBe('Unknown command "nothing" for thv vault.');
  });

  test("an unknown flag of a group is an error", () => {
    expect(failure("vault", "--nope").message).toBe('Unknown flag "--nope" for thv vault.');
  });

  test("a missing argument is named with the whole command", () => {
    expect(failure("vault", "set").message).toBe("thv vault set needs NAME.");
  });
});

describe("arguments", () => {
  const parseInput = (env: Record<string, string>, ...argv: string[]) => {
    const invocation = parseInvocation(argv, TREE, env);
    if (invocation.kind !== "run") throw new Error("expected a command");
    return invocation.input;
  };

  test("that are missing are named all at once, with required flags", () => {
    expect(failure("vault", "open").message).toBe("thv vault open needs DOOR, --key and --wait.");
    expect(failure("vault", "open", "front", "--key=k")).toMatchObject({
      message: "thv vault open needs --wait.",
      hint: "Wait: --wait VALUE",
    });
  });

  test("of durations, shares and lists are read as such", () => {
    const input = parseInput(
      {},
      "vault",
      "open",
      "front",
      "--key=k",
      "--wait",
      "1m30s",
      "--share=.25",
      "--who=x, y",
      "--who",
      "z",
    );

    expect(input.wait).toBe(90_000);
    expect(input.share).toBe(0.25);
    expect(input.who).toEqual(["x", "y", "z"]);
    expect(parseInput({}, "vault", "open", "back", "--key=k", "--wait=0").who).toEqual(["a", "b"]);
  });

  test("come from the environment when a flag that names a variable is absent, and not when it is given", () => {
    const env = { VAULT_KEY: "from-env" };

    expect(parseInput(env, "vault", "open", "front", "--wait=1s").key).toBe("from-env");
    expect(parseInput(env, "vault", "open", "front", "--wait=1s", "--key=k").key).toBe("k");
  });

  test.each([
    [
      ["vault", "open", "side", "--key=k", "--wait=1s"],
      'DOOR is "side" but must be front or back.',
      "vault open --help",
    ],
    [["vault", "open", "bac", "--key=k", "--wait=1s"], 'DOOR is "bac" but must be front or back.', "vault open back"],
    [
      ["vault", "open", "front", "--wait", "5"],
      '--wait is "5" but must be a duration like 30s or 1m30s. thv vault open needs --key.',
      "With its unit: --wait 5s, or 5m for minutes. See: thv vault open --help",
    ],
    [
      ["vault", "open", "front", "--share", "x"],
      '--share is "x" but must be a number. thv vault open needs --key and --wait.',
      "thv vault open --help",
    ],
    [["hep"], 'Unknown command "hep".', "Did you mean: thv help"],
    [["show", "al"], 'Unknown command "al" for thv show.', "Did you mean: thv show all"],
    [["--hepl"], 'Unknown flag "--hepl".', "Did you mean --help?"],
    [["vault", "--debgu"], 'Unknown flag "--debgu" for thv vault.', "Did you mean --debug?"],
    [["help", "wether"], 'Unknown command or topic "wether".', "Did you mean: thv help weather"],
    [["vault", "unlok"], 'Unknown command "unlok" for thv vault.', "thv vault --help"],
    [["vault", "inne"], 'Unknown command "inne" for thv vault.', "thv vault --help"],
  ])("%j is refused", (argv, message, hint) => {
    const error = failure(...argv);

    expect([error.code, error.message]).toEqual(["USAGE", message]);
    if (hint) expect(error.hint).toContain(hint);
  });

  test("after -- are arguments, also the name of a command below", () => {
    expect(run("logs", "--", "prune")).toMatchObject({ path: "logs", positionals: ["prune"] });
    expect(run("vault", "set", "--", "--file")).toMatchObject({ path: "vault set", positionals: ["--file"] });
  });

  test("of help may name a topic, with a global flag in front", () => {
    expect(parseInvocation(["--debug", "help", "weather"], TREE)).toEqual({ kind: "topic", topic: "weather" });
  });

  test("call commands that are hidden or replaced, which help does not show", () => {
    expect(run("vault", "unlock").path).toBe("vault unlock");
    expect(run("vault", "inner").path).toBe("vault inner");
    expect(helpFor(["vault"], TREE, 100)).not.toMatch(/unlock|inner/);
    expect(helpFor(["vault", "unlock"], TREE, 100)).toContain("Use instead: thv vault open");
  });
});

describe("help of groups", () => {
  test("the root lists commands and groups, and nothing below them", () => {
    const help = helpFor([], TREE, 100);

    expect(help).toMatch(/^ {2}vault +Keep things$/m);
    expect(help).not.toContain("prune");
  });

  test("a group lists what is directly in it", () => {
    const help = helpFor(["vault"], TREE, 100);

    expect(help).toMatch(/^ {2}deep +Keep things deep down$/m);
    expect(help).toMatch(/^ {2}set +Does vault set$/m);
    expect(help).not.toContain("Does vault deep get");
  });

  test("a command with commands below it lists them", () => {
    expect(helpFor(["logs"], TREE, 100)).toMatch(/^ {2}prune +Does logs prune$/m);
  });
});

describe("habits of other programs", () => {
  test("are no commands and no flags of ours, and each hint names what to type here", () => {
    const tree = { commands: COMMANDS, groups: COMMAND_GROUPS };
    for (const [word, hint] of Object.entries(COMMAND_HABITS)) {
      expect(() => parseInvocation([word, "x"], tree), word).toThrow(expect.objectContaining({ hint }));
    }
    for (const [words, flags] of Object.entries(FLAG_HABITS)) {
      for (const [flag, instead] of Object.entries(flags)) {
        const parse = () => {
          const parsed = parseInvocation([...words.split(" "), flag], tree);
          if (parsed.kind === "run") parsed.mistakes.throwAll(parsed.command.path);
        };
        expect(parse, `${words} ${flag}`).toThrow(expect.objectContaining({ hint: expect.stringContaining(instead) }));
      }
    }
  });

  test("are answered all at once: run -it --rm -p 8000:8000", () => {
    const parsed = parseInvocation(["run", "-it", "--rm", "-p", "8000:8000", "mcp/echo:1"], {
      commands: COMMANDS,
      groups: COMMAND_GROUPS,
    });
    if (parsed.kind !== "run") throw new Error("It is not run.");

    expect(() => parsed.mistakes.throwAll(parsed.command.path)).toThrow(
      expect.objectContaining({
        hint: expect.stringMatching(/Instead of -i, -t: .*Instead of --rm: .*Instead of -p: /),
      }),
    );
  });
});
