/** `thv version`. Source: cli.md 3. */
import type { Command } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/format-flag.ts";

export const VERSION_COMMAND: Command = {
  path: ["version"],
  summary: "Show the version of thv",
  positionals: [],
  flags: [FORMAT_FLAG, { name: "json", kind: "bool", summary: "The same as --format json" }],
  examples: [{ summary: "Show the version", command: "thv version" }],
  load: async () => (await import("./version.ts")).version,
};
