/** `thv group` and its commands. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { GROUP } from "../shared/flags/group-flag.ts";
import { YES_FLAG } from "../shared/flags/yes-flag.ts";
import { WORKLOAD } from "../shared/workload-argument.ts";

export const GROUP_GROUP: CommandGroup = {
  path: ["group"],
  summary: "Give several servers one URL",
  description:
    "A group is a set of servers with one URL, at which a client finds the tools of all of them. A server can be in several groups. A server that is in no other group is in default, the group that commands without --group use.",
};

export const GROUP_CREATE = {
  path: ["group", "create"],
  summary: "Create a group",
  description:
    "Prints the URL of the group, which does not change. Add servers to the group with thv group add, or with thv run --group.",
  positionals: [{ name: "GROUP", summary: "Name of the new group" }],
  flags: {
    naming: {
      kind: "string",
      values: ["auto", "always", "never"],
      default: "auto",
      summary: "Put the server's name before a tool's: auto = where several servers have it, always, never",
    },
    port: { kind: "port", summary: "Port of the group's URL; by default a free one" },
    tools: {
      kind: "strings",
      summary: "Tools that its clients see and may call, separated by commas; all by default",
    },
    "tools-override": { kind: "path", summary: "JSON file with other names and descriptions of tools" },
    "find-tools": { kind: "bool", summary: "Give clients find_tool and call_tool in the place of all tools" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Create one", command: "thv group create work" },
    { summary: "With every tool named after its server", command: "thv group create work --naming always" },
    { summary: "With two tools of its servers alone", command: "thv group create work --tools get-sum,echo" },
  ],
} as const satisfies CommandDefinition;

export const GROUP_LIST = {
  path: ["group", "list"],
  aliases: ["ls"],
  summary: "List the groups",
  description: "Shows each group with its URL and its servers, and which of the servers cannot be reached and why.",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "List them", command: "thv group list" }],
} as const satisfies CommandDefinition;

export const GROUP_RM = {
  path: ["group", "rm"],
  aliases: ["delete"],
  summary: "Remove the group itself",
  description:
    "Closes the URL of the group, and unregisters clients that are registered for it alone. Its servers stay, unless you add --with-workloads, which names them and asks first; --yes leaves the question out, which a script needs. To take single servers out of a group that stays: thv group remove.",
  positionals: [GROUP],
  flags: {
    "with-workloads": { kind: "bool", summary: "Also remove its servers that are in no other group" },
    yes: YES_FLAG,
    format: FORMAT_FLAG,
  },
  examples: [{ summary: "Remove it, and keep its servers", command: "thv group rm work" }],
} as const satisfies CommandDefinition;

const MEMBERS = { ...WORKLOAD, isRepeated: true } as const;

export const GROUP_ADD = {
  path: ["group", "add"],
  summary: "Put servers into a group",
  description: "They stay in the groups that they are in, except in default. Open sessions hear of their tools.",
  positionals: [GROUP, MEMBERS],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Put two servers into it", command: "thv group add work everything fetch" }],
} as const satisfies CommandDefinition;

export const GROUP_REMOVE = {
  path: ["group", "remove"],
  summary: "Take servers out of a group that stays",
  description:
    "The servers run on. Those that are in no other group are in default from then on. What was chosen of their tools leaves with them. To remove the group itself: thv group rm.",
  positionals: [GROUP, MEMBERS],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Take one out", command: "thv group remove work fetch" }],
} as const satisfies CommandDefinition;

export const GROUP_COMMANDS: readonly Command[] = [
  defineCommand(GROUP_CREATE, async () => (await import("./group.ts")).create),
  defineCommand(GROUP_LIST, async () => (await import("./group.ts")).list),
  defineCommand(GROUP_RM, async () => (await import("./group.ts")).removeGroup),
  defineCommand(GROUP_ADD, async () => (await import("./group.ts")).add),
  defineCommand(GROUP_REMOVE, async () => (await import("./group.ts")).removeMembers),
];
