/** `thv config set KEY VALUE`, `get`, `unset` and `list`: the same settings as the commands of single ones. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";

/** As the other commands call them; those of OpenTelemetry behind a dot. */
export const SETTING_KEYS = [
  ...["ca-cert", "engine", "registry-url", "sleep-after", "usage"],
  ...["otel.endpoint", "otel.env-vars", "otel.insecure", "otel.sampling-rate"],
] as const;

const KEY = { name: "KEY", summary: "Name of the setting", values: SETTING_KEYS } as const;

export const CONFIG_GET = {
  path: ["config", "get"],
  summary: "Show one setting by its name",
  positionals: [KEY],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Show when new servers sleep", command: "thv config get sleep-after" }],
} as const satisfies CommandDefinition;

export const CONFIG_SET = {
  path: ["config", "set"],
  summary: "Change one setting by its name",
  description: "Does the same as the command of the setting, such as thv config set-sleep-after.",
  positionals: [KEY, { name: "VALUE", summary: "New value, in the form that the command of the setting accepts" }],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Let new servers sleep after ten minutes", command: "thv config set sleep-after 10m" }],
} as const satisfies CommandDefinition;

export const CONFIG_UNSET = {
  path: ["config", "unset"],
  summary: "Reset one setting to its default",
  positionals: [KEY],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Go back to the built-in registry", command: "thv config unset registry-url" }],
} as const satisfies CommandDefinition;

export const CONFIG_LIST = {
  path: ["config", "list"],
  aliases: ["ls"],
  summary: "Show all settings that have a command",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "List all settings", command: "thv config list" }],
} as const satisfies CommandDefinition;

export const CONFIG_KEY_COMMANDS: readonly Command[] = [
  defineCommand(CONFIG_GET, async () => (await import("./by-key.ts")).getByKey),
  defineCommand(CONFIG_SET, async () => (await import("./by-key.ts")).setByKey),
  defineCommand(CONFIG_UNSET, async () => (await import("./by-key.ts")).unsetByKey),
  defineCommand(CONFIG_LIST, async () => (await import("./by-key.ts")).listSettings),
];
