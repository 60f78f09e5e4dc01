/** `thv client` and its commands. Source: cli.md 3.7. */
import type { Command, CommandGroup, Flag } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/format-flag.ts";

const DRY_RUN: Flag = {
  name: "dry-run",
  kind: "bool",
  summary: "Show what would become of the settings, and do nothing",
};
const CLIENT = {
  name: "CLIENT",
  summary: "Id of the client, as thv client status shows it",
  completes: "client",
} as const;

export const CLIENT_GROUP: CommandGroup = {
  path: ["client"],
  summary: "Connect MCP clients to the servers that run",
  description:
    "Writes the running servers into the settings of editors and assistants, and takes them out when they stop. What else is in those settings stays as it is.",
};

export const CLIENT_COMMANDS: readonly Command[] = [
  {
    path: ["client", "list-registered"],
    summary: "List the registered clients",
    positionals: [],
    flags: [FORMAT_FLAG],
    examples: [{ summary: "List them", command: "thv client list-registered" }],
    load: async () => (await import("./client.ts")).listRegistered,
  },
  {
    path: ["client", "register"],
    summary: "Let a client's settings follow the servers",
    description:
      "Adds the running servers to the client's settings now, and keeps them up to date. A client that is not installed gets them once it is.",
    positionals: [CLIENT],
    flags: [DRY_RUN, FORMAT_FLAG],
    examples: [{ summary: "Register Visual Studio Code", command: "thv client register vscode" }],
    load: async () => (await import("./client.ts")).register,
  },
  {
    path: ["client", "remove"],
    summary: "Take the servers out of a client's settings",
    positionals: [CLIENT],
    flags: [DRY_RUN, FORMAT_FLAG],
    examples: [{ summary: "Remove Visual Studio Code", command: "thv client remove vscode" }],
    load: async () => (await import("./client.ts")).remove,
  },
  {
    path: ["client", "setup"],
    summary: "Choose clients from those that are installed",
    description: "Shows the installed clients that are not registered, and registers those that you mark.",
    positionals: [],
    flags: [
      DRY_RUN,
      { name: "all", short: "a", kind: "bool", summary: "Register every installed client without asking" },
      FORMAT_FLAG,
    ],
    examples: [
      { summary: "Choose", command: "thv client setup" },
      { summary: "Register everything that is installed, in a script", command: "thv client setup --all" },
    ],
    load: async () => (await import("./client.ts")).setup,
  },
  {
    path: ["client", "status"],
    summary: "Show which clients are installed and registered",
    positionals: [],
    flags: [FORMAT_FLAG],
    examples: [
      { summary: "Show all", command: "thv client status" },
      { summary: "Read them in a script", command: "thv client status --format json" },
    ],
    load: async () => (await import("./client.ts")).status,
  },
  {
    path: ["client", "undo"],
    summary: "Put a client's settings back as they were before thv",
    description:
      "Takes the client off the list and puts back the bytes that its settings had before thv's first change. When somebody else has changed them since, those changes would go too: then it shows them and asks first. What was there is kept aside, and the path is told.",
    positionals: [CLIENT],
    flags: [
      DRY_RUN,
      { name: "yes", short: "y", kind: "bool", summary: "Do not ask, also when other changes would go" },
      FORMAT_FLAG,
    ],
    examples: [
      { summary: "See what would be undone", command: "thv client undo vscode --dry-run" },
      { summary: "Undo it", command: "thv client undo vscode" },
    ],
    load: async () => (await import("./undo.ts")).undo,
  },
];
