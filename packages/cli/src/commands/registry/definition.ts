/** `thv registry`, its commands, and `thv search`. Source: cli.md 3.10. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";

export const REGISTRY_GROUP: CommandGroup = {
  path: ["registry"],
  summary: "List and show the servers of the registry",
  description:
    "The registry lists MCP servers and what each of them needs to run: image, transport, arguments, variables, permissions. thv contains a registry; to use another one, use thv config set-registry-url.",
};

export const REGISTRY_INFO = {
  path: ["registry", "info"],
  summary: "Show the registry entry of a server",
  positionals: [
    {
      name: "SERVER",
      summary: "Name of the server, or the last part of a long one; name@version",
      completes: "registry-server",
    },
  ],
  flags: { format: FORMAT_FLAG },
  examples: [
    { summary: "See which variables a server needs", command: "thv registry info github" },
    { summary: "Read its image in a script", command: "thv registry info github --format json" },
    { summary: "See an older version of a server", command: "thv registry info io.github.owner/server@1.2.0" },
  ],
} as const satisfies CommandDefinition;

export const REGISTRY_LIST = {
  path: ["registry", "list"],
  aliases: ["ls"],
  summary: "List the servers of the registry",
  positionals: [],
  flags: {
    format: FORMAT_FLAG,
    skipped: { kind: "bool", summary: "Show the entries that cannot be used, each with its reason" },
  },
  examples: [
    { summary: "See what there is", command: "thv registry list" },
    { summary: "Read the names in a script", command: "thv registry list --format json" },
    { summary: "See which entries are left out, and why", command: "thv registry list --skipped" },
  ],
} as const satisfies CommandDefinition;

export const REGISTRY_CONVERT = {
  path: ["registry", "convert"],
  summary: "Convert a registry file to another format",
  description:
    "Reads a registry in either format, ToolHive's own map or the official server.json, and writes it in the other. The command reports members that the other format does not support, and damaged entries, which it leaves out, on standard error.",
  positionals: [],
  flags: {
    in: {
      kind: "string",
      completes: "file",
      summary: "File to read; - is standard input",
      default: "-",
    },
    out: {
      kind: "string",
      completes: "file",
      summary: "File to write; - is standard output",
      default: "-",
    },
    to: {
      kind: "string",
      summary: "Format to write",
      values: ["upstream", "toolhive"],
      default: "upstream",
    },
  },
  examples: [
    {
      summary: "Publish your list in the official format",
      command: "thv registry convert --in registry.json --out servers.json",
    },
    {
      summary: "Turn a server.json into a registry of your own",
      command: "thv registry convert --in server.json --to toolhive",
    },
  ],
} as const satisfies CommandDefinition;

export const SEARCH = {
  path: ["search"],
  summary: "Search the registry",
  description:
    "Finds servers by a part of their name, description or tags, and ignores case. Servers whose name matches best come first.",
  positionals: [{ name: "QUERY", summary: "Part of a name, a description or a tag" }],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Find servers for databases", command: "thv search database" }],
} as const satisfies CommandDefinition;

export const REGISTRY_COMMANDS: readonly Command[] = [
  defineCommand(REGISTRY_CONVERT, async () => (await import("./convert.ts")).registryConvert),
  defineCommand(REGISTRY_INFO, async () => (await import("./info.ts")).registryInfo),
  defineCommand(REGISTRY_LIST, async () => (await import("./list.ts")).registryList),
  defineCommand(SEARCH, async () => (await import("./list.ts")).search),
];
