/** `thv registry`, its commands, and `thv search`. Source: cli.md 3.10. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/format-flag.ts";

export const REGISTRY_GROUP: CommandGroup = {
  path: ["registry"],
  summary: "List and show the servers of the registry",
  description:
    "The registry lists MCP servers with what is needed to run each: image, transport, arguments, variables, permissions. One comes with thv; another is chosen with thv config set-registry-url.",
};

export const REGISTRY_INFO = {
  path: ["registry", "info"],
  summary: "Show the registry entry of a server",
  positionals: [{ name: "SERVER", summary: "Name of the server in the registry", completes: "registry-server" }],
  flags: { format: FORMAT_FLAG },
  examples: [
    { summary: "See which variables a server needs", command: "thv registry info github" },
    { summary: "Read its image in a script", command: "thv registry info github --format json" },
  ],
} as const satisfies CommandDefinition;

export const REGISTRY_LIST = {
  path: ["registry", "list"],
  aliases: ["ls"],
  summary: "List the servers of the registry",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [
    { summary: "See what there is", command: "thv registry list" },
    { summary: "Read the names in a script", command: "thv registry list --format json" },
  ],
} as const satisfies CommandDefinition;

export const SEARCH = {
  path: ["search"],
  summary: "Search the registry",
  description:
    "Finds servers by a part of their name, description or tags, whatever the case. Servers whose name fits best come first.",
  positionals: [{ name: "QUERY", summary: "Part of a name, a description or a tag" }],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Find servers for databases", command: "thv search database" }],
} as const satisfies CommandDefinition;

export const REGISTRY_COMMANDS: readonly Command[] = [
  defineCommand(REGISTRY_INFO, async () => (await import("./info.ts")).registryInfo),
  defineCommand(REGISTRY_LIST, async () => (await import("./list.ts")).registryList),
  defineCommand(SEARCH, async () => (await import("./list.ts")).search),
];
