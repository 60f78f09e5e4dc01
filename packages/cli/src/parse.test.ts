import { ThvError } from "@toolhive/core/errors";
import { describe, expect, test } from "vitest";
import type { Command, CommandTree } from "./command.ts";
import { helpFor } from "./help.ts";
import { parseInvocation } from "./parse.ts";

function command(words: string, more: Partial<Command> = {}): Command {
  const load = async () => async () => undefined;
  return { path: words.split(" "), summary: `Does ${words}`, positionals: [], flags: [], examples: [], load, ...more };
}

const TREE: CommandTree = {
  commands: [
    command("list"),
    command("logs", { positionals: [{ name: "WORKLOAD" }] }),
    command("logs prune"),
    command("vault set", {
      positionals: [{ name: "NAME" }],
      flags: [{ name: "file", kind: "string", summary: "File" }],
    }),
    command("vault list", { aliases: ["ls"] }),
    command("vault deep get"),
  ],
  groups: [
    { path: ["vault"], summary: "Keep things" },
    { path: ["vault", "deep"], summary: "Keep things deep down" },
  ],
};

function run(...argv: string[]) {
  const invocation = parseInvocation(argv, TREE);
  if (invocation.kind !== "run") throw new Error(`expected a command, got help for "${invocation.path.join(" ")}"`);
  const { command: found, input, debug } = invocation;
  return { path: found.path.join(" "), positionals: input.positionals, file: input.string("file"), debug };
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
