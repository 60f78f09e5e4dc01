/** `thv version`. Source: cli.md 3. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";

export const VERSION = {
  path: ["version"],
  summary: "Show the version of thv",
  positionals: [],
  flags: { format: FORMAT_FLAG, json: { kind: "bool", summary: "The same as --format json" } },
  examples: [{ summary: "Show the version", command: "thv version" }],
} as const satisfies CommandDefinition;

export const VERSION_COMMAND: Command = defineCommand(VERSION, async () => (await import("./version.ts")).version);
