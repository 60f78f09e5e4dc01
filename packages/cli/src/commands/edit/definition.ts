/** `thv edit`: the flags of `thv run`, for a server that exists. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import type { Flag } from "../../command-line/flag.ts";
import type { Input } from "../../command-line/input.ts";
import { RUN } from "../run/definition.ts";
import { RUN_SECTIONS } from "../run/sections.ts";
import { YES_FLAG } from "../shared/flags/yes-flag.ts";
import { WORKLOAD } from "../shared/workload-argument.ts";

/** Flags of `thv run` that are about a new server, or about how that command works. */
const {
  name: _name,
  group: _group,
  port: _port,
  "env-file": _envFile,
  "from-config": _fromConfig,
  foreground: _foreground,
  "remote-auth-timeout": _timeout,
  ...SETTINGS
} = RUN.flags;

type Settings = typeof SETTINGS;

/** Without their defaults: a setting whose flag is absent stays as it is. */
function omitDefaults(): { readonly [Name in keyof Settings]: Omit<Settings[Name], "default"> } {
  const entries = Object.entries(SETTINGS).map(([name, { default: _default, ...flag }]: [string, Flag]) => [
    name,
    flag,
  ]);
  return Object.fromEntries(entries) as { readonly [Name in keyof Settings]: Omit<Settings[Name], "default"> };
}

export const EDIT = {
  path: ["edit"],
  summary: "Change the settings of a server",
  description:
    "Changes a server in place: its URL, its groups and its clients stay. Without flags, opens the settings in your editor ($VISUAL or $EDITOR). With flags of thv run, changes those settings; a setting whose flag is absent stays as it is. A variable, a secret, a label, a header or a volume is added, or replaces the one of the same name or container path; --unset removes a setting. The command first shows the changes and, on a terminal, asks for confirmation. Then the server restarts, unless only its choice of tools changes; if it does not start with the new settings, it keeps running with the old ones.",
  positionals: [WORKLOAD],
  takesRest: true,
  restSummary: "Arguments for the server, instead of its current ones",
  sections: RUN_SECTIONS,
  flags: {
    ...omitDefaults(),
    format: RUN.flags.format,
    image: {
      kind: "string",
      summary: "Image, package or URL to run from now on, such as another tag of the same image",
    },
    unset: {
      kind: "stringArray",
      summary:
        "Setting to remove: the name of its flag, args, or one of several, such as env.NAME, label.KEY or volume./PATH; may be repeated",
    },
    undo: { kind: "bool", summary: "Undo the last change, whoever made it; a second undo restores the change" },
    yes: { ...YES_FLAG, summary: "Change the server without asking" },
    "dry-run": { kind: "bool", summary: "Show what would change, without changing it" },
  },
  examples: [
    { summary: "Change the settings in your editor", command: "thv edit everything" },
    { summary: "Change a variable", command: "thv edit everything --env UNITS=imperial" },
    { summary: "Remove a variable", command: "thv edit everything --unset env.UNITS" },
    { summary: "Run another tag of its image", command: "thv edit everything --image mcp/everything:latest" },
    { summary: "Undo the last change", command: "thv edit everything --undo" },
    { summary: "Show what a change would do", command: "thv edit everything --memory 512m --dry-run" },
  ],
} as const satisfies CommandDefinition;

export type EditInput = Input<typeof EDIT>;

export const EDIT_COMMAND: Command = defineCommand(EDIT, async () => (await import("./edit.ts")).edit);
