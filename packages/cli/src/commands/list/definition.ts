/** `thv list`. Source: cli.md 3. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { GROUP_FLAG } from "../shared/flags/group-flag.ts";

export const LIST = {
  path: ["list"],
  aliases: ["ls", "ps"],
  summary: "List the running MCP servers",
  description: "Shows the running servers with the URL that MCP clients use. With --all, also shows the others.",
  positionals: [],
  flags: {
    all: { short: "a", kind: "bool", summary: "Include servers that are not running" },
    label: {
      short: "l",
      kind: "stringArray",
      summary: "Show only servers with this label, KEY=VALUE; when repeated, all must match",
    },
    group: GROUP_FLAG,
    usage: {
      kind: "bool",
      summary: "Show calls, failures, last use, clients and the size of the tools in the last 30 days",
    },
    format: {
      ...FORMAT_FLAG,
      values: ["text", "json", "mcpservers"],
      summary: "Output format; mcpservers is the object that many clients use in their settings",
    },
  },
  examples: [
    { summary: "List the running servers", command: "thv list" },
    { summary: "List the servers with a label", command: "thv list --label team=maps" },
    { summary: "Show the servers of a group", command: "thv list --group work" },
    { summary: "See which servers are used", command: "thv list --all --usage" },
    { summary: "Read every URL in a script", command: "thv list --format json" },
    { summary: "Configure a client that thv does not know", command: "thv list --format mcpservers" },
  ],
} as const satisfies CommandDefinition;

export const LIST_COMMAND: Command = defineCommand(LIST, async () => (await import("./list.ts")).list);
