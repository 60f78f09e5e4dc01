/** `thv group` and its commands. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { GROUP } from "../shared/flags/group-flag.ts";
import { YES_FLAG } from "../shared/flags/yes-flag.ts";
import { WORKLOAD } from "../shared/workload-argument.ts";

export const GROUP_GROUP: CommandGroup = {
  path: ["group"],
  summary: "Give clients one URL for several servers",
  description:
    "A group has one URL, at which a client finds the tools of all its servers. A server can be in several groups. A server in no other group is in the group default, which commands without --group use.",
};

export const GROUP_CREATE = {
  path: ["group", "create"],
  summary: "Create a group",
  description:
    "Prints the group's URL, which does not change. Add servers with thv group add, or with thv run --group.",
  positionals: [{ name: "GROUP", summary: "Name of the new group" }],
  flags: {
    naming: {
      kind: "string",
      values: ["auto", "always", "never"],
      default: "auto",
      summary:
        "When names of tools begin with the name of their server: auto = if several servers have the tool, always, never",
    },
    port: { kind: "port", summary: "Port of the group's URL; a free one by default" },
    tools: {
      kind: "strings",
      summary: "Tools that clients of the group see and may call, separated by commas; all by default",
    },
    "tools-override": { kind: "path", summary: "JSON file with other names and descriptions of tools" },
    "find-tools": {
      kind: "bool",
      summary: "Let clients search tools with find_tool and call_tool instead of listing all",
    },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Create a group", command: "thv group create work" },
    {
      summary: "Create a group that puts the server's name before every tool",
      command: "thv group create work --naming always",
    },
    { summary: "Create a group that offers two tools only", command: "thv group create work --tools get-sum,echo" },
  ],
} as const satisfies CommandDefinition;

export const GROUP_LIST = {
  path: ["group", "list"],
  aliases: ["ls"],
  summary: "List the groups",
  description: "Shows each group with its URL and its servers, and the reason if a server does not answer.",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "List all groups", command: "thv group list" }],
} as const satisfies CommandDefinition;

export const GROUP_SHOW = {
  path: ["group", "show"],
  aliases: ["status"],
  summary: "Show everything about one group",
  description:
    "Shows the group's URL, its choice of tools, its clients, and a line for each server with its status, how many of its tools clients see, and when it sleeps. thv status also takes the name of a group.",
  positionals: [GROUP],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Show a group", command: "thv group show work" }],
} as const satisfies CommandDefinition;

export const GROUP_RM = {
  path: ["group", "rm"],
  aliases: ["delete"],
  summary: "Remove the group itself",
  description:
    "Removes the group and its URL, and unregisters clients that are registered for this group alone. The servers stay, unless you use --with-workloads, which names them and asks for confirmation; in a script, add --yes. To remove servers from a group and keep the group, use thv group remove.",
  positionals: [GROUP],
  flags: {
    "with-workloads": { kind: "bool", summary: "Also remove its servers that are in no other group" },
    yes: YES_FLAG,
    format: FORMAT_FLAG,
  },
  examples: [{ summary: "Remove a group, and keep its servers", command: "thv group rm work" }],
} as const satisfies CommandDefinition;

const MEMBERS = { ...WORKLOAD, name: "SERVER", isRepeated: true } as const;

export const GROUP_ADD = {
  path: ["group", "add"],
  summary: "Add servers to a group",
  description:
    "The servers stay in their other groups, except in default. Open sessions are notified of the new tools.",
  positionals: [GROUP, MEMBERS],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Add two servers to a group", command: "thv group add work everything fetch" }],
} as const satisfies CommandDefinition;

export const GROUP_REMOVE = {
  path: ["group", "remove"],
  summary: "Remove servers from a group and keep the group",
  description:
    "The servers keep running. Servers that are in no other group return to default. The group's choice of their tools is removed with them. To remove the group itself, use thv group rm.",
  positionals: [GROUP, MEMBERS],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Remove a server from a group", command: "thv group remove work fetch" }],
} as const satisfies CommandDefinition;

export const GROUP_COMMANDS: readonly Command[] = [
  defineCommand(GROUP_CREATE, async () => (await import("./group.ts")).create),
  defineCommand(GROUP_LIST, async () => (await import("./group.ts")).list),
  defineCommand(GROUP_SHOW, async () => (await import("./show-group.ts")).showGroupByName),
  defineCommand(GROUP_RM, async () => (await import("./group.ts")).removeGroup),
  defineCommand(GROUP_ADD, async () => (await import("./group.ts")).add),
  defineCommand(GROUP_REMOVE, async () => (await import("./group.ts")).removeMembers),
];
