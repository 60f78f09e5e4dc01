/** `thv registry`, its commands, and `thv search`. Source: cli.md 3.10. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { PRIVATE_IP_FLAG } from "../shared/flags/private-ip-flag.ts";
import { ALLOW_FLAG } from "../shared/flags/yes-flag.ts";

export const REGISTRY_GROUP: CommandGroup = {
  path: ["registry"],
  summary: "List and show the servers of registries",
  description:
    "A registry lists MCP servers and what each of them needs to run: image, transport, arguments, variables, permissions. thv contains a registry. To replace it, use thv config set-registry-url; to use more registries beside it, use thv registry source add.",
};

export const SOURCE_GROUP: CommandGroup = {
  path: ["registry", "source"],
  summary: "Use more registries beside the default one",
  description:
    "Servers of all sources are listed together. A plain name is the server of the first source that has it: the default registry, then the others in the order in which they were added. SOURCE/NAME is the server of one source.",
};

export const SOURCE_ADD = {
  path: ["registry", "source", "add"],
  summary: "Add a registry beside the others",
  description:
    "Accepts an https URL of a registry file or of a registry API, a file:// URL or a path. The command reads and checks the registry first; if it finds an error, it adds nothing. A new source comes after the existing ones, so that a name keeps its meaning if the new source has a server of that name, too. You can add up to ten.",
  positionals: [
    { name: "SOURCE", summary: "Name of the source: lowercase letters, digits and hyphens" },
    { name: "URL", summary: "URL or path of the registry", completes: "file" },
  ],
  flags: {
    "allow-private-ip": PRIVATE_IP_FLAG,
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Add a file of your own", command: "thv registry source add team ./registry.json" },
    {
      summary: "Add a registry on the web",
      command: "thv registry source add acme https://mcp.example.com/registry.json",
    },
  ],
} as const satisfies CommandDefinition;

export const SOURCE_LIST = {
  path: ["registry", "source", "list"],
  aliases: ["ls"],
  summary: "List the sources of servers",
  description:
    "Shows each source with its number of servers, the date of its list, when it was last read, and its problem if there is one.",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "List all sources", command: "thv registry source list" }],
} as const satisfies CommandDefinition;

export const SOURCE_REMOVE = {
  path: ["registry", "source", "remove"],
  aliases: ["rm"],
  summary: "Remove a source",
  description: "Servers that were created from it keep running, and are no longer upgraded.",
  positionals: [{ name: "SOURCE", summary: "Name of the source", completes: "registry-source" }],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Remove a source", command: "thv registry source remove team" }],
} as const satisfies CommandDefinition;

const SOURCE_FLAG = {
  kind: "string",
  completes: "registry-source",
  summary: "Show only servers of this source",
} as const;

export const REGISTRY_INFO = {
  path: ["registry", "info"],
  summary: "Show the registry entry of a server",
  positionals: [
    {
      name: "SERVER",
      summary: "Name of the server, or the last part of a long one; name@version; SOURCE/NAME",
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
  summary: "List the servers of the registries",
  positionals: [],
  flags: {
    search: {
      kind: "string",
      summary: "Show only servers that match a part of a name or a task in words, the best first",
    },
    source: SOURCE_FLAG,
    groups: { kind: "bool", summary: "Show the groups that registries define, and the servers of each" },
    format: FORMAT_FLAG,
    skipped: { kind: "bool", summary: "Show the entries that cannot be used, each with its reason" },
  },
  examples: [
    { summary: "List all servers", command: "thv registry list" },
    { summary: "Find servers for a task", command: 'thv registry list --search "read a database"' },
    { summary: "Read the names in a script", command: "thv registry list --format json" },
    { summary: "See which servers are used together", command: "thv registry list --groups" },
    { summary: "See which entries are left out, and why", command: "thv registry list --skipped" },
  ],
} as const satisfies CommandDefinition;

export const REGISTRY_RUN_GROUP = {
  path: ["registry", "run-group"],
  summary: "Run a group of servers from a registry",
  description:
    "Runs each server of a registry's group as thv run does, and adds all of them to one group on this machine, which the command creates if necessary. If a server does not start, the command continues with the others and names it at the end.",
  positionals: [{ name: "NAME", summary: "Name of the registry's group; SOURCE/NAME" }],
  flags: {
    group: { kind: "string", completes: "group", summary: "Group on this machine; by default one of the same name" },
    yes: ALLOW_FLAG,
  },
  examples: [{ summary: "Run the servers of a group", command: "thv registry run-group travel" }],
} as const satisfies CommandDefinition;

export const REGISTRY_CONVERT = {
  path: ["registry", "convert"],
  summary: "Convert a registry file to another format",
  description:
    "Reads a registry in ToolHive's own format or as an official server.json, and writes it in the other format. The command reports members that the other format does not support, and damaged entries, which it leaves out, on standard error.",
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
  summary: "Search the registries",
  description:
    "Finds servers by a part of their name, description or tags; case does not matter. Servers whose names match best come first. You can also describe a task in several words: the command then ranks servers as find_tool ranks tools.",
  positionals: [{ name: "QUERY", summary: "Part of a name, a description or a tag, or a task in words" }],
  flags: { source: SOURCE_FLAG, format: FORMAT_FLAG },
  examples: [
    { summary: "Find servers for databases", command: "thv search database" },
    { summary: "Find servers by what you need", command: 'thv search "read a web page"' },
  ],
} as const satisfies CommandDefinition;

export const REGISTRY_COMMANDS: readonly Command[] = [
  defineCommand(REGISTRY_CONVERT, async () => (await import("./convert.ts")).registryConvert),
  defineCommand(REGISTRY_INFO, async () => (await import("./info.ts")).registryInfo),
  defineCommand(REGISTRY_LIST, async () => (await import("./list.ts")).registryList),
  defineCommand(REGISTRY_RUN_GROUP, async () => (await import("./run-group.ts")).registryRunGroup),
  defineCommand(SOURCE_ADD, async () => (await import("./source.ts")).sourceAdd),
  defineCommand(SOURCE_LIST, async () => (await import("./source.ts")).sourceList),
  defineCommand(SOURCE_REMOVE, async () => (await import("./source.ts")).sourceRemove),
  defineCommand(SEARCH, async () => (await import("./list.ts")).search),
];
