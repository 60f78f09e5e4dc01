/** The commands that look after workloads: list, logs, restart, rm, stop. Source: cli.md 3. */
import type { Command, Flag } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/format-flag.ts";

const WORKLOAD = {
  name: "WORKLOAD",
  summary: "Name of the server, as thv list --all shows it",
  completes: "workload",
} as const;
const SOME_WORKLOADS = { ...WORKLOAD, isOptional: true, isRepeated: true } as const;

const TIMEOUT_FLAG: Flag = {
  name: "timeout",
  kind: "int",
  default: 30,
  summary: "Seconds a server has to end by itself before it is killed, 0 to 3600",
};

export const WORKLOAD_COMMANDS: readonly Command[] = [
  {
    path: ["list"],
    aliases: ["ls", "ps"],
    summary: "List the running MCP servers",
    description:
      "Shows the workloads that run, with the address that MCP clients use. With --all, also those that do not run.",
    positionals: [],
    flags: [
      { name: "all", short: "a", kind: "bool", summary: "Include workloads that are not running" },
      {
        name: "label",
        short: "l",
        kind: "stringArray",
        summary: "Show workloads with this label only, KEY=VALUE; when repeated, all have to match",
      },
      {
        ...FORMAT_FLAG,
        values: ["text", "json", "mcpservers"],
        summary: "Output format; mcpservers is the object that many clients have in their settings",
      },
    ],
    examples: [
      { summary: "Show what runs", command: "thv list" },
      { summary: "Show what one team runs", command: "thv list --label team=maps" },
      { summary: "Read every address in a script", command: "thv list --format json" },
      { summary: "Configure a client that thv does not know", command: "thv list --format mcpservers" },
    ],
    load: async () => (await import("../list/list.ts")).list,
  },
  {
    path: ["logs"],
    summary: "Show the output of an MCP server",
    description:
      "Prints the newest 100 lines that the server wrote. With --follow, goes on over restarts until the server is stopped, removed or has failed for good, or until Ctrl-C. Of a server on stdio these are the lines of its standard error; its standard output is the protocol.",
    positionals: [WORKLOAD],
    flags: [
      { name: "follow", short: "f", kind: "bool", summary: "Go on with new lines as they are written" },
      {
        name: "tail",
        short: "n",
        kind: "string",
        summary: "Newest lines to show, 0 to 100000, or all; 100 when absent, all with --since",
      },
      {
        name: "since",
        kind: "string",
        summary: "Show no older lines: a duration like 10m, or a moment like 2026-01-31T12:00:00Z",
      },
      { name: "timestamps", short: "t", kind: "bool", summary: "Begin each line with the moment it came, in UTC" },
    ],
    examples: [
      { summary: "Watch a server work", command: "thv logs everything --follow" },
      {
        summary: "See what it wrote in the last ten minutes, and when",
        command: "thv logs everything --since 10m --timestamps",
      },
    ],
    load: async () => (await import("../logs/logs.ts")).logs,
  },
  {
    path: ["logs", "prune"],
    summary: "Delete log files of servers that are gone",
    description:
      "thv rm removes the log of its server, so as a rule there is nothing to delete. What this command finds was left by another version, or belongs to a configuration that was deleted by hand. Logs of servers that exist, running or not, and the supervisor's own stay.",
    positionals: [],
    flags: [{ name: "dry-run", kind: "bool", summary: "Show what would be deleted, and delete nothing" }, FORMAT_FLAG],
    examples: [{ summary: "See what would go", command: "thv logs prune --dry-run" }],
    load: async () => (await import("../logs/prune.ts")).pruneLogs,
  },
  {
    path: ["restart"],
    aliases: ["start"],
    summary: "Restart an MCP server",
    description:
      "Stops it when it runs, then starts it from its saved configuration. The address stays the same. With --all, every server, also those that are stopped; one that fails does not hold up the others.",
    positionals: [SOME_WORKLOADS],
    flags: [
      { name: "all", short: "a", kind: "bool", summary: "Restart every server" },
      FORMAT_FLAG,
      { name: "proxy-port", kind: "int", summary: "Port the proxy listens on from now on; not with --all" },
      { name: "pull", kind: "bool", summary: "Pull the image first, and make the container anew from it" },
    ],
    examples: [
      { summary: "Restart a server", command: "thv restart everything" },
      { summary: "Run the newest image of a server's tag", command: "thv restart everything --pull" },
      { summary: "Move a server to another port", command: "thv restart everything --proxy-port 8123" },
      { summary: "Restart two of them", command: "thv restart everything fetch" },
      { summary: "Bring all of them up", command: "thv restart --all" },
    ],
    load: async () => (await import("./lifecycle.ts")).restart,
  },
  {
    path: ["rm"],
    aliases: ["remove", "delete"],
    summary: "Remove an MCP server",
    description:
      "Stops it when it runs, then removes its container and its configuration. The server is asked to end (SIGTERM) and has the time of --timeout for it, as with thv stop; --force kills it at once. A server that is not there is a warning and no failure.",
    positionals: [SOME_WORKLOADS],
    flags: [
      { name: "all", short: "a", kind: "bool", summary: "Remove every server, also those that are stopped" },
      FORMAT_FLAG,
      { name: "force", short: "f", kind: "bool", summary: "Kill the server instead of asking it to end" },
      TIMEOUT_FLAG,
    ],
    examples: [
      { summary: "Remove a server", command: "thv rm everything" },
      { summary: "Remove two servers", command: "thv rm everything fetch" },
      { summary: "Remove a server that hangs, without waiting for it", command: "thv rm --force everything" },
    ],
    load: async () => (await import("./lifecycle.ts")).remove,
  },
  {
    path: ["status"],
    aliases: ["inspect"],
    summary: "Show everything about one MCP server",
    description:
      "Shows how the server is and why, its address, image and digest, files, network, limits, variables by name, and the clients that know it. Values of variables and secrets are left out.",
    positionals: [WORKLOAD],
    flags: [FORMAT_FLAG],
    examples: [
      { summary: "See why a server is not well", command: "thv status everything" },
      { summary: "Read it in a script", command: "thv status everything --format json" },
    ],
    load: async () => (await import("../status/status.ts")).showStatus,
  },
  {
    path: ["stop"],
    summary: "Stop an MCP server",
    description:
      "Stops the server and closes its address. Its configuration stays: thv restart brings it back. A server that is not there is a warning and no failure.",
    positionals: [SOME_WORKLOADS],
    flags: [
      { name: "all", short: "a", kind: "bool", summary: "Stop every server that runs" },
      FORMAT_FLAG,
      TIMEOUT_FLAG,
    ],
    examples: [
      { summary: "Stop a server", command: "thv stop everything" },
      { summary: "Stop two servers", command: "thv stop everything fetch" },
      { summary: "Stop all of them, without waiting long", command: "thv stop --all --timeout 5" },
    ],
    load: async () => (await import("./lifecycle.ts")).stop,
  },
];
