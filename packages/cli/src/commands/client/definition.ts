/** `thv client` and its commands. Source: cli.md 3.7. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import type { Flag } from "../../command-line/flag.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";

const DRY_RUN = {
  kind: "bool",
  summary: "Show how the settings would change, without changing them",
} as const satisfies Flag;
const CLIENT_GROUP_FLAG = {
  kind: "string",
  completes: "group",
  summary: "Connect the client to this group only: it gets the URL of the group, and not the URLs of servers",
} as const satisfies Flag;
const REMOVED_GROUP_FLAG = {
  ...CLIENT_GROUP_FLAG,
  summary: "Remove this group only; the client keeps its other groups and servers",
} as const satisfies Flag;
const CLIENT = {
  name: "CLIENT",
  summary: "Id of the client, as thv client status shows it",
  completes: "client",
} as const;

export const CLIENT_GROUP: CommandGroup = {
  path: ["client"],
  summary: "Connect MCP clients to running servers",
  description:
    "Adds the running servers to the settings of editors and assistants, and removes them when they stop. Other settings stay unchanged.",
};

export const CLIENT_LIST_REGISTERED = {
  path: ["client", "list-registered"],
  summary: "List the registered clients",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "List all clients", command: "thv client list-registered" }],
} as const satisfies CommandDefinition;

export const CLIENT_REGISTER = {
  path: ["client", "register"],
  summary: "Keep a client's settings up to date with the servers",
  description:
    "Adds the running servers to the client's settings now, and keeps them up to date. A client that is not installed gets them after its installation.",
  positionals: [CLIENT],
  flags: { "dry-run": DRY_RUN, group: CLIENT_GROUP_FLAG, format: FORMAT_FLAG },
  examples: [
    { summary: "Register Visual Studio Code", command: "thv client register vscode" },
    { summary: "Give the client the URL of a group", command: "thv client register vscode --group work" },
  ],
} as const satisfies CommandDefinition;

export const CLIENT_REMOVE = {
  path: ["client", "remove"],
  summary: "Remove the servers from a client's settings",
  positionals: [CLIENT],
  flags: { "dry-run": DRY_RUN, group: REMOVED_GROUP_FLAG, format: FORMAT_FLAG },
  examples: [{ summary: "Remove Visual Studio Code", command: "thv client remove vscode" }],
} as const satisfies CommandDefinition;

export const CLIENT_SETUP = {
  path: ["client", "setup"],
  summary: "Choose clients from those that are installed",
  description: "Shows the installed clients that are not registered, and registers those that you select.",
  positionals: [],
  flags: {
    "dry-run": DRY_RUN,
    all: { short: "a", kind: "bool", summary: "Register every installed client without asking" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Choose clients", command: "thv client setup" },
    { summary: "Register all installed clients, in a script", command: "thv client setup --all" },
  ],
} as const satisfies CommandDefinition;

export const CLIENT_STATUS = {
  path: ["client", "status"],
  summary: "Show which clients are installed and registered",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [
    { summary: "Show all clients", command: "thv client status" },
    { summary: "Read the clients in a script", command: "thv client status --format json" },
  ],
} as const satisfies CommandDefinition;

export const CLIENT_UNDO = {
  path: ["client", "undo"],
  summary: "Restore a client's settings as they were before thv",
  description:
    "Unregisters the client and restores its settings file as it was before thv's first change. If another program has changed the file since, the command shows what would be lost and asks for confirmation. It keeps a copy of the current file and prints its path.",
  positionals: [CLIENT],
  flags: {
    "dry-run": DRY_RUN,
    yes: { short: "y", kind: "bool", summary: "Do not ask, even if other changes would be lost" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "See what would be undone", command: "thv client undo vscode --dry-run" },
    { summary: "Undo the changes in the file of a client", command: "thv client undo vscode" },
  ],
} as const satisfies CommandDefinition;

export const CLIENT_COMMANDS: readonly Command[] = [
  defineCommand(CLIENT_LIST_REGISTERED, async () => (await import("./client.ts")).listRegistered),
  defineCommand(CLIENT_REGISTER, async () => (await import("./client.ts")).register),
  defineCommand(CLIENT_REMOVE, async () => (await import("./client.ts")).remove),
  defineCommand(CLIENT_SETUP, async () => (await import("./client.ts")).setup),
  defineCommand(CLIENT_STATUS, async () => (await import("./client.ts")).status),
  defineCommand(CLIENT_UNDO, async () => (await import("./undo.ts")).undo),
];
