/** `thv tools` and its commands. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import type { Positional } from "../../command-line/flag.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { GROUP_FLAG } from "../shared/flags/group-flag.ts";

export const TOOLS_GROUP: CommandGroup = {
  path: ["tools"],
  summary: "Choose the tools that servers offer, and hold back changes",
};

const NAME = { name: "NAME", summary: "Name of the workload", completes: "workload" } as const satisfies Positional;
/** The first argument of commands that choose tools for a server, or with `--group` for a group. */
const OWNER = { ...NAME, summary: "Name of the workload; left out with --group", isOptional: true } as const;
const FOR_GROUP = { ...GROUP_FLAG, summary: "Of this group, in the place of NAME" } as const;
const TOOLS = {
  name: "TOOL",
  summary: "Name of a tool, as thv tools list shows it",
  isRepeated: true,
} as const satisfies Positional;

export const TOOLS_LIST = {
  path: ["tools", "list"],
  summary: "List the tools of a server or a group, and which of them clients see",
  description:
    "Asks the server as a client does, and adds the tools that are hidden from clients. Of a group, it shows whose each tool is. A tool that was chosen and that the server does not have is named below. Warns of hidden characters, instructions to the model and names that look alike.",
  positionals: [OWNER],
  flags: { group: FOR_GROUP, format: FORMAT_FLAG },
  examples: [
    { summary: "List them", command: "thv tools list everything" },
    { summary: "List those of a group", command: "thv tools list --group work" },
  ],
} as const satisfies CommandDefinition;

export const TOOLS_ALLOW = {
  path: ["tools", "allow"],
  summary: "Offer more tools of a server or a group",
  description:
    "Adds tools to those that were chosen, at once: the server goes on, and clients hear that the list has changed. Where nothing was chosen, every tool is offered already.",
  positionals: [OWNER, { ...TOOLS, isOptional: true }],
  flags: {
    all: { kind: "bool", summary: "Offer every tool, also those that the server gets later" },
    group: FOR_GROUP,
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Offer one more", command: "thv tools allow everything get-sum" },
    { summary: "Offer all again", command: "thv tools allow everything --all" },
    { summary: "Offer one more in a group", command: "thv tools allow --group work get-sum" },
  ],
} as const satisfies CommandDefinition;

export const TOOLS_DENY = {
  path: ["tools", "deny"],
  summary: "Hide tools of a server or a group",
  description:
    "From now on clients neither see nor call them; the server goes on. What is offered becomes a list of names: a tool that the server gets later is not in it.",
  positionals: [OWNER, { ...TOOLS, isOptional: true }],
  flags: { group: FOR_GROUP, format: FORMAT_FLAG },
  examples: [
    { summary: "Hide a tool", command: "thv tools deny everything get-env" },
    { summary: "Hide it from clients of a group", command: "thv tools deny --group work get-env" },
  ],
} as const satisfies CommandDefinition;

export const TOOLS_RENAME = {
  path: ["tools", "rename"],
  summary: "Offer a tool under another name",
  description:
    "The server still hears its own name, which clients can no longer use. Its own name as NEW_NAME takes the rename back.",
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
    { summary: "Rename it for clients of a group", command: "thv tools rename --group work get-sum add" },
  ],
} as const satisfies CommandDefinition;

export const TOOLS_FIND = {
  path: ["tools", "find"],
  summary: "Let clients find tools instead of listing them",
  description:
    "From now on clients get find_tool and call_tool in the place of the list: they search for a tool by what they want to do, and call it. Saves context where there are many tools. The server goes on, and so do sessions; tools that are hidden are not found either.",
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
  summary: "Hold back new tools of a server, too, or none",
  description:
    "The definition of each tool (name, title, description, schemas, annotations) is recorded when the server lists it first, and one that changes later is held back: clients see what was recorded and cannot call the tool, until thv tools accept. This command holds back new tools, too: clients neither see nor call them.",
  positionals: [NAME],
  flags: {
    check: { kind: "bool", summary: "Change nothing; show what differs, and end with exit code 25 if anything does" },
    known: {
      kind: "bool",
      summary: "Hold back tools that change, and let new ones pass, as for every server at first",
    },
    "changed-tools": {
      kind: "string",
      values: ["refuse", "allow"],
      summary: "Calls of a tool that has changed, until that is accepted; alone, it changes nothing else",
    },
    off: { kind: "bool", summary: "Forget what was pinned, and hold nothing back any more" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Let nothing pass but the tools that it has now", command: "thv tools pin everything" },
    { summary: "Go back to holding back changes alone", command: "thv tools pin everything --known" },
    { summary: "Check in a pipeline that nothing has changed", command: "thv tools pin everything --check" },
  ],
} as const satisfies CommandDefinition;

export const TOOLS_ACCEPT = {
  path: ["tools", "accept"],
  summary: "Accept tools of a server that have changed",
  description:
    "Shows line by line how tools differ from what was pinned, points out what is odd about them, and pins them as they are now. Without TOOL: all that differ.",
  positionals: [NAME, { ...TOOLS, summary: "Name of a tool, as the server has it", isOptional: true }],
  flags: { yes: { short: "y", kind: "bool", summary: "Do not ask" }, format: FORMAT_FLAG },
  examples: [
    { summary: "See what has changed, and accept it", command: "thv tools accept everything" },
    { summary: "Accept one tool without a question", command: "thv tools accept everything get-sum --yes" },
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
