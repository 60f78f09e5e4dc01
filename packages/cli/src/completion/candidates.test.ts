import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Command, CommandTree } from "../command-line/command.ts";
import { COMMAND_GROUPS, COMMANDS } from "../commands.ts";
import { TOPIC_NAMES } from "../topics/topic-names.ts";
import { completeWords } from "./candidates.ts";

const command = (words: string, more: Partial<Command> = {}): Command => ({
  path: words.split(" "),
  summary: `Does ${words}`,
  positionals: [],
  flags: {},
  examples: [],
  load: async () => async () => undefined,
  ...more,
});

const TREE: CommandTree = {
  commands: [
    command("stop", {
      positionals: [{ name: "WORKLOAD", summary: "What it is", completes: "workload" }],
      flags: {
        all: { short: "a", kind: "bool", summary: "All" },
        env: { short: "e", kind: "stringArray", summary: "Env" },
        format: { short: "f", kind: "string", values: ["text", "json"], summary: "Format" },
        config: { kind: "string", completes: "file", summary: "Config" },
        "deep-secret": { kind: "string", hidden: true, summary: "Hidden" },
      },
    }),
    command("run", {
      positionals: [{ name: "SERVER", summary: "What it is", completes: "registry-server" }],
      takesRest: true,
    }),
    command("logs", { positionals: [{ name: "WORKLOAD", summary: "What it is", completes: "workload" }] }),
    command("logs prune"),
    command("box get", { aliases: ["fetch"] }),
    command("box give", { replacedBy: ["box", "get"] }),
    command("box inner", { hidden: true }),
    command("shell", { positionals: [{ name: "SHELL", summary: "What it is", values: ["bash", "zsh"] }] }),
  ],
  groups: [{ path: ["box"], summary: "Boxes" }],
  topics: [{ name: "weather", summary: "Outside" }],
};

async function complete(...words: string[]) {
  const { paths, candidates } = await completeWords(words, TREE, async (source) => [{ value: `a-${source}` }]);
  return [...(paths ? [`:${paths}`] : []), ...candidates.map(({ value }) => value)];
}

describe("completeWords", () => {
  test.each([
    [[""], ["box", "help", "logs", "run", "shell", "stop"]],
    [["st"], ["stop"]],
    [["box", ""], ["get"]],
    [["box", "x", ""], []],
    [["nothing", ""], []],
    [["stop", ""], ["a-workload"]],
    [["stop", "b"], []],
    [["stop", "--", "a"], ["a-workload"]],
    [["stop", "one", ""], []],
    [
      ["stop", "-"],
      ["--all", "--config", "--debug", "--env", "--format", "--help"],
    ],
    [
      ["stop", "--all", "--env", "x", "--"],
      ["--config", "--debug", "--env", "--format", "--help"],
    ],
    [["stop", "-a", "--al"], []],
    [
      ["stop", "--format", ""],
      ["text", "json"],
    ],
    [["stop", "--format", "j"], ["json"]],
    [
      ["stop", "-f", ""],
      ["text", "json"],
    ],
    [
      ["stop", "-af", ""],
      ["text", "json"],
    ],
    [["stop", "-fjson", ""], ["a-workload"]],
    [["stop", "--format=j"], ["--format=json"]],
    [
      ["stop", "--format="],
      ["--format=text", "--format=json"],
    ],
    [["stop", "--format=json", "a"], ["a-workload"]],
    [["stop", "--config", "x"], [":file"]],
    [["stop", "--config=x"], [":file"]],
    [["stop", "--env", ""], []],
    [["stop", "--deep"], []],
    [["--debug", "stop", ""], ["a-workload"]],
    [["run", "a", "--", "x"], [":file"]],
    [["run", ""], ["a-registry-server"]],
    [
      ["logs", ""],
      ["prune", "a-workload"],
    ],
    [["logs", "prune", ""], []],
    [["logs", "one", ""], []],
    [["box", "fetch", ""], []],
    [
      ["shell", ""],
      ["bash", "zsh"],
    ],
    [
      ["help", ""],
      ["box", "logs", "run", "shell", "stop", "weather"],
    ],
    [["help", "box", ""], ["get"]],
    [["help", "logs", ""], ["prune"]],
    [[], ["box", "help", "logs", "run", "shell", "stop"]],
  ])("%j", async (words, expected) => {
    expect(await complete(...words)).toEqual(expected);
  });

  test("offers only what begins with the word, whatever is written, and never fails", async () => {
    const tree = { commands: COMMANDS, groups: COMMAND_GROUPS, topics: TOPIC_NAMES };
    const word = fc.oneof(
      fc.constantFrom("config", "otel", "secret", "set", "--format", "--format=", "-a", "--", "help", "stop", "", "-"),
      fc.string({ maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 6 }), async (words) => {
        const { candidates } = await completeWords(words, tree, async () => [{ value: "name" }]);

        for (const { value } of candidates) expect(value.startsWith(words.at(-1) ?? "")).toBe(true);
      }),
    );
  });
});
