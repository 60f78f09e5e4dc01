/** The commands that look after workloads: list, logs, restart, rm, stop. Source: cli.md 3. */
import type { Command } from "../command.ts";
import { FORMAT_FLAG } from "./format-flag.ts";

const WORKLOAD = { name: "WORKLOAD" } as const;

export const WORKLOAD_COMMANDS: readonly Command[] = [
  {
    path: ["list"],
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
      FORMAT_FLAG,
    ],
    examples: [
      { summary: "Show what runs", command: "thv list" },
      { summary: "Show what one team runs", command: "thv list --label team=maps" },
      { summary: "Read every address in a script", command: "thv list --format json" },
    ],
    load: async () => (await import("../commands/list.ts")).list,
  },
  {
    path: ["logs"],
    summary: "Show the output of an MCP server",
    description:
      "Prints the newest 100 lines that the server wrote. With --follow, goes on until the server ends or Ctrl-C.",
    positionals: [WORKLOAD],
    flags: [{ name: "follow", short: "f", kind: "bool", summary: "Go on with new lines as they are written" }],
    examples: [{ summary: "Watch a server work", command: "thv logs everything --follow" }],
    load: async () => (await import("../commands/logs.ts")).logs,
  },
  {
    path: ["restart"],
    summary: "Restart an MCP server",
    description: "Stops it when it runs, then starts it from its saved configuration. The address stays the same.",
    positionals: [WORKLOAD],
    flags: [],
    examples: [{ summary: "Restart a server", command: "thv restart everything" }],
    load: async () => (await import("../commands/lifecycle.ts")).restart,
  },
  {
    path: ["rm"],
    summary: "Remove an MCP server",
    description: "Stops it when it runs, then removes its container and its configuration.",
    positionals: [WORKLOAD],
    flags: [],
    examples: [{ summary: "Remove a server", command: "thv rm everything" }],
    load: async () => (await import("../commands/lifecycle.ts")).remove,
  },
  {
    path: ["stop"],
    summary: "Stop an MCP server",
    description: "Stops the server and closes its address. Its configuration stays: thv restart brings it back.",
    positionals: [WORKLOAD],
    flags: [],
    examples: [{ summary: "Stop a server", command: "thv stop everything" }],
    load: async () => (await import("../commands/lifecycle.ts")).stop,
  },
];
