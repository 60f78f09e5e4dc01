/** The commands that change how workloads run: restart, rm, stop. Source: cli.md 3. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import type { Flag } from "../../command-line/flag.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { GROUP_FLAG } from "../shared/flags/group-flag.ts";
import { YES_FLAG } from "../shared/flags/yes-flag.ts";
import { SOME_WORKLOADS } from "../shared/workload-argument.ts";

const TIMEOUT = {
  kind: "int",
  default: 30,
  min: 0,
  max: 3_600,
  unit: "seconds",
  summary: "Seconds to wait for the server to exit before it is killed, 0 to 3600",
} as const satisfies Flag;

export const RESTART = {
  path: ["restart"],
  aliases: ["start"],
  summary: "Restart an MCP server",
  description:
    "Stops the server if it runs, then starts it from its saved configuration. The URL stays the same. With --all, restarts every server, including stopped ones; if one fails, the command continues with the others.",
  positionals: [SOME_WORKLOADS],
  flags: {
    all: { short: "a", kind: "bool", summary: "Restart every server" },
    group: GROUP_FLAG,
    format: FORMAT_FLAG,
    "proxy-port": { kind: "port", summary: "New port of the proxy; not with --all" },
    pull: { kind: "bool", summary: "Pull the image first, and recreate the container from it" },
  },
  examples: [
    { summary: "Restart a server", command: "thv restart everything" },
    { summary: "Run the newest image of a server's tag", command: "thv restart everything --pull" },
    { summary: "Move a server to another port", command: "thv restart everything --proxy-port 8123" },
    { summary: "Restart two servers", command: "thv restart everything fetch" },
    { summary: "Start all servers", command: "thv restart --all" },
  ],
} as const satisfies CommandDefinition;

export const RM = {
  path: ["rm"],
  aliases: ["remove", "delete"],
  summary: "Remove an MCP server",
  description:
    "Stops the server if it runs, then removes its container and its configuration. With --all and --group, the command names the servers and asks for confirmation; in a script, add --yes. As with thv stop, the server receives SIGTERM and has --timeout seconds to exit; --force kills it at once. A server that does not exist is a warning, not an error.",
  positionals: [SOME_WORKLOADS],
  flags: {
    all: { short: "a", kind: "bool", summary: "Remove every server, including stopped ones" },
    group: GROUP_FLAG,
    format: FORMAT_FLAG,
    yes: YES_FLAG,
    force: { short: "f", kind: "bool", summary: "Kill the server at once (SIGKILL)" },
    timeout: TIMEOUT,
  },
  examples: [
    { summary: "Remove a server", command: "thv rm everything" },
    { summary: "Remove two servers", command: "thv rm everything fetch" },
    { summary: "Remove all servers without confirmation", command: "thv rm --all --yes" },
    { summary: "Remove a server that hangs, without waiting", command: "thv rm --force everything" },
  ],
} as const satisfies CommandDefinition;

export const STOP = {
  path: ["stop"],
  summary: "Stop an MCP server",
  description:
    "Stops the server and closes its URL. Its configuration stays, and thv restart starts it again. A server that does not exist is a warning, not an error.",
  positionals: [SOME_WORKLOADS],
  flags: {
    all: { short: "a", kind: "bool", summary: "Stop every running server" },
    group: GROUP_FLAG,
    format: FORMAT_FLAG,
    timeout: TIMEOUT,
  },
  examples: [
    { summary: "Stop a server", command: "thv stop everything" },
    { summary: "Stop two servers", command: "thv stop everything fetch" },
    { summary: "Stop the servers of a group", command: "thv stop --group work" },
    { summary: "Stop all servers, without waiting long", command: "thv stop --all --timeout 5" },
  ],
} as const satisfies CommandDefinition;

export const LIFECYCLE_COMMANDS: readonly Command[] = [
  defineCommand(RESTART, async () => (await import("./lifecycle.ts")).restart),
  defineCommand(RM, async () => (await import("./lifecycle.ts")).remove),
  defineCommand(STOP, async () => (await import("./lifecycle.ts")).stop),
];
