/** `thv logs` and `thv logs prune`. Source: cli.md 3. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { YES_FLAG } from "../shared/flags/yes-flag.ts";
import { WORKLOAD_OR_GROUP } from "../shared/workload-argument.ts";

export const LOGS = {
  path: ["logs"],
  summary: "Show the output of an MCP server",
  description:
    "Prints the newest 100 lines that the server wrote. With --follow, continues across restarts until the server is stopped or removed, until it has failed permanently, or until Ctrl-C. For a group, prints the lines of all its servers in order of time, each with the name of its server. A stdio server writes its log to standard error, and protocol messages to standard output. If thv removed a server because its start failed, it keeps the output for a week, or until a server of this name starts or is removed.",
  positionals: [WORKLOAD_OR_GROUP],
  flags: {
    follow: { short: "f", kind: "bool", summary: "Show new lines as they are written" },
    tail: {
      short: "n",
      kind: "string",
      summary: "Number of newest lines to show, 0 to 100000, or all; 100 by default, all with --since",
    },
    since: {
      kind: "string",
      summary: "Show lines since a duration like 10m ago, or since a time like 2026-01-31T12:00:00Z",
    },
    proxy: {
      kind: "bool",
      summary: "Show what thv itself reports about the server and its proxy since the supervisor started",
    },
    timestamps: { short: "t", kind: "bool", summary: "Prefix each line with its time, in UTC" },
  },
  examples: [
    { summary: "Watch a server work", command: "thv logs everything --follow" },
    {
      summary: "Show the last ten minutes, with times",
      command: "thv logs everything --since 10m --timestamps",
    },
    {
      summary: "Show when a server was started, and what its proxy reported",
      command: "thv logs everything --proxy -t",
    },
  ],
} as const satisfies CommandDefinition;

export const LOGS_PRUNE = {
  path: ["logs", "prune"],
  summary: "Delete log files of removed servers",
  description:
    "thv rm removes the log of its server, so usually there is nothing to delete. This command finds logs from another version, logs of configurations that were deleted by hand, and the output of failed starts. It keeps the supervisor's log and the logs of all existing servers. On a terminal, it shows the files and asks for confirmation; in a script, it does not ask.",
  positionals: [],
  flags: {
    "dry-run": { kind: "bool", summary: "Show what would be deleted, without deleting it" },
    yes: YES_FLAG,
    format: FORMAT_FLAG,
  },
  examples: [{ summary: "List the files that would be deleted", command: "thv logs prune --dry-run" }],
} as const satisfies CommandDefinition;

export const LOGS_COMMANDS: readonly Command[] = [
  defineCommand(LOGS, async () => (await import("./logs.ts")).logs),
  defineCommand(LOGS_PRUNE, async () => (await import("./prune.ts")).pruneLogs),
];
