/** `thv status`. Source: cli.md 3. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { WORKLOAD_OR_GROUP } from "../shared/workload-argument.ts";

export const STATUS = {
  path: ["status"],
  aliases: ["inspect"],
  summary: "Show everything about one MCP server",
  description:
    "Shows the server's status and its reason, URL, image and digest, files, network, limits, names of variables, connected clients, and calls of the last 30 days. It does not show values of variables and secrets. For a group, shows the same as thv group show.",
  positionals: [WORKLOAD_OR_GROUP],
  flags: { format: FORMAT_FLAG },
  examples: [
    { summary: "Find out why a server has a problem", command: "thv status everything" },
    { summary: "Read the status in a script", command: "thv status everything --format json" },
  ],
} as const satisfies CommandDefinition;

export const STATUS_COMMAND: Command = defineCommand(STATUS, async () => (await import("./status.ts")).showStatus);
