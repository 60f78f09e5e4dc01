/** `thv tools` and its commands. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import type { Positional } from "../../command-line/flag.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { GROUP_FLAG } from "../shared/flags/group-flag.ts";

export const TOOLS_GROUP: CommandGroup = {
  path: ["tools"],
  summary: "Choose the tools that clients see, and review changed tools",
};

const NAME = { name: "NAME", summary: "Name of the server", completes: "workload" } as const satisfies Positional;
/** The first argument of commands that choose tools for a server, or with `--group` for a group. */
const OWNER = {
  ...NAME,
  summary: "Name of the server or the group; omit it with --group",
  completes: "workload-or-group",
  isOptional: true,
} as const;
const FOR_GROUP = { ...GROUP_FLAG, summary: "Use this group instead of NAME" } as const;
const TOOLS = {
  name: "TOOL",
  summary: "Name of a tool, as thv tools list shows it",
  isRepeated: true,
} as const satisfies Positional;

export const TOOLS_LIST = {
  path: ["tools", "list"],
  summary: "List the tools of a server or a group, and which of them clients see",
  description:
    "Lists all tools of the server, including those that are hidden from clients. For a group, it shows the server of each tool. Below the table, it names chosen tools that the server does not have, and warns of hidden characters, instructions to the model and similar names.",
  positionals: [OWNER],
  flags: {
    usage: {
      kind: "bool",
      summary: "Show calls and size of each tool, and what hiding unused ones saves; for a server only",
    },
    group: FOR_GROUP,
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "List the tools", command: "thv tools list everything" },
    { summary: "Show which tools are never called", command: "thv tools list everything --usage" },
    { summary: "List the tools of a group", command: "thv tools list --group work" },
  ],
} as const satisfies CommandDefinition;

export const TOOLS_ALLOW = {
  path: ["tools", "allow"],
  summary: "Offer more tools of a server or a group",
  description:
    "Adds tools to the choice. The server keeps running, and clients are notified. If you have not chosen any tools, clients already see all.",
  positionals: [OWNER, { ...TOOLS, isOptional: true }],
  flags: {
    all: { kind: "bool", summary: "Offer every tool, including those that the server gets later" },
    group: FOR_GROUP,
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Offer one more tool", command: "thv tools allow everything get-sum" },
    { summary: "Offer all tools again", command: "thv tools allow everything --all" },
    { summary: "Offer one more tool in a group", command: "thv tools allow --group work get-sum" },
  ],
} as const satisfies CommandDefinition;

export const TOOLS_DENY = {
  path: ["tools", "deny"],
  summary: "Hide tools of a server or a group",
  description:
    "Clients can no longer see or call the tools. The server keeps running. Clients do not see tools that the server gets later either.",
  positionals: [OWNER, { ...TOOLS, isOptional: true }],
  flags: { group: FOR_GROUP, format: FORMAT_FLAG },
  examples: [
    { summary: "Hide a tool", command: "thv tools deny everything get-env" },
    { summary: "Hide a tool from clients of a group", command: "thv tools deny --group work get-env" },
  ],
} as const satisfies CommandDefinition;

export const TOOLS_RENAME = {
  path: ["tools", "rename"],
  summary: "Rename a tool",
  description:
    "Clients use the new name, and can no longer use the old one. To undo this, give the tool's own name as NEW_NAME.",
  positionals: [
    OWNER,
    { name: "TOOL", summary: "Name of the tool, as thv tools list shows it", isOptional: true },
    { name: "NEW_NAME", summary: "Name for clients", isOptional: true },
  ],
  flags: {
    description: { kind: "string", summary: "Another description for clients" },
    group: FOR_GROUP,
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Rename a tool", command: "thv tools rename everything get-sum add" },
    { summary: "Rename a tool for clients of a group", command: "thv tools rename --group work get-sum add" },
  ],
} as const satisfies CommandDefinition;

export const TOOLS_FIND = {
  path: ["tools", "find"],
  summary: "Let clients search tools instead of listing them",
  description:
    "Clients then list find_tool and call_tool instead of all tools: they search for a tool by its task, and call it. This saves context if there are many tools. The server keeps running, and sessions stay open. Clients do not find hidden tools.",
  positionals: [OWNER],
  flags: {
    off: { kind: "bool", summary: "Give clients the list of tools again" },
    group: FOR_GROUP,
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Let clients of a group find tools", command: "thv tools find --group work" },
    { summary: "The same for one server", command: "thv tools find everything" },
    { summary: "Show all tools again", command: "thv tools find everything --off" },
  ],
} as const satisfies CommandDefinition;

export const TOOLS_PIN = {
  path: ["tools", "pin"],
  summary: "Choose which new and changed tools of a server to hold back",
  description:
    "ToolHive records the definition of each tool (name, title, description, schemas, annotations) when the server first lists it, and holds back later changes: clients see the recorded definition and cannot call the tool until thv tools accept. This command also holds back new tools: clients can neither see nor call them.",
  positionals: [NAME],
  flags: {
    check: { kind: "bool", summary: "Show differences without changing anything, and exit with 25 if there are any" },
    known: {
      kind: "bool",
      summary: "Hold back changed tools and allow new ones, as for every new server",
    },
    "changed-tools": {
      kind: "string",
      values: ["refuse", "allow"],
      summary:
        "Whether to refuse or allow calls of a changed tool until you accept the change; alone, it changes nothing else",
    },
    off: { kind: "bool", summary: "Turn pinning off, and delete the record" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Allow only the current tools", command: "thv tools pin everything" },
    { summary: "Hold back only changed tools again", command: "thv tools pin everything --known" },
    { summary: "Check in a pipeline that nothing has changed", command: "thv tools pin everything --check" },
  ],
} as const satisfies CommandDefinition;

export const TOOLS_ACCEPT = {
  path: ["tools", "accept"],
  summary: "Accept changed tools of a server",
  description:
    "Shows line by line how tools differ from their recorded definitions, warns of suspicious definitions, and pins the current ones. Without TOOL: all tools that differ.",
  positionals: [NAME, { ...TOOLS, summary: "Name of a tool, as the server calls it", isOptional: true }],
  flags: { yes: { short: "y", kind: "bool", summary: "Do not ask" }, format: FORMAT_FLAG },
  examples: [
    { summary: "Review and accept the changes", command: "thv tools accept everything" },
    { summary: "Accept one tool without confirmation", command: "thv tools accept everything get-sum --yes" },
  ],
} as const satisfies CommandDefinition;

export const TOOLS_COMMANDS: readonly Command[] = [
  defineCommand(TOOLS_LIST, async () => (await import("./tools.ts")).listTools),
  defineCommand(TOOLS_ALLOW, async () => (await import("./tools.ts")).allowTools),
  defineCommand(TOOLS_DENY, async () => (await import("./tools.ts")).denyTools),
  defineCommand(TOOLS_RENAME, async () => (await import("./tools.ts")).renameTool),
  defineCommand(TOOLS_FIND, async () => (await import("./tools.ts")).findTools),
  defineCommand(TOOLS_PIN, async () => (await import("./pins.ts")).pinTools),
  defineCommand(TOOLS_ACCEPT, async () => (await import("./pins.ts")).acceptTools),
];
