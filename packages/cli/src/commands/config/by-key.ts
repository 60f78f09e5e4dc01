/** `thv config set`, `get`, `unset` and `list`: each setting is read and written by the command of its own. */
import type { Config } from "@toolhive/core";
import { formatSeconds } from "@toolhive/core/duration";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { printTable } from "../../terminal/table.ts";
import type { FormatInput } from "../print-outcome.ts";
import { openConfig } from "../shared/open-registry.ts";
import type { CONFIG_GET, CONFIG_LIST, CONFIG_SET, CONFIG_UNSET, SETTING_KEYS } from "./by-key-definition.ts";
import { getCaCert, setCaCert, unsetCaCert } from "./ca-cert.ts";
import { getEngine, setEngine } from "./engine.ts";
import { getOtel, setOtel, unsetOtel } from "./otel.ts";
import { getRegistryUrl, setRegistryUrl, unsetRegistryUrl } from "./registry-url.ts";
import { getSleepAfter, setSleepAfter } from "./sleep-after.ts";
import { getUsage, setUsage } from "./usage.ts";

type Key = (typeof SETTING_KEYS)[number];

interface Setting {
  readonly get: (format: FormatInput, context: CommandContext) => Promise<void>;
  readonly set: (value: string, format: FormatInput, context: CommandContext) => Promise<void>;
  readonly unset: (format: FormatInput, context: CommandContext) => Promise<void>;
  /** One line for a person; `undefined` where it is the default. */
  readonly show: (config: Config) => string | undefined;
}

/** What the commands of single settings get of theirs. */
const REST = { rest: [], isGiven: () => false } as const;
const NO_ARGUMENT = { ...REST, positionals: [] } as const;

const SETTINGS: Readonly<Record<Key, Setting>> = {
  "ca-cert": {
    get: ({ format }, context) => getCaCert({ ...NO_ARGUMENT, format }, context),
    set: (value, { format }, context) => setCaCert({ ...REST, positionals: [value], format }, context),
    unset: ({ format }, context) => unsetCaCert({ ...NO_ARGUMENT, format }, context),
    show: ({ ca_certificate_path: path }) => path || undefined,
  },
  engine: {
    get: ({ format }, context) => getEngine({ ...NO_ARGUMENT, format }, context),
    set: (value, { format }, context) => setEngine({ ...REST, positionals: [value], format }, context),
    unset: ({ format }, context) => setEngine({ ...REST, positionals: ["auto"], format }, context),
    show: ({ engine }) => engine || undefined,
  },
  "registry-url": {
    get: ({ format }, context) => getRegistryUrl({ ...NO_ARGUMENT, format }, context),
    set: (value, { format }, context) =>
      setRegistryUrl({ ...REST, positionals: [value], format, allowPrivateIp: false }, context),
    unset: ({ format }, context) => unsetRegistryUrl({ ...NO_ARGUMENT, format }, context),
    show: ({ registry_url: url }) => url || undefined,
  },
  "sleep-after": {
    get: ({ format }, context) => getSleepAfter({ ...NO_ARGUMENT, format }, context),
    set: (value, { format }, context) => setSleepAfter({ ...REST, positionals: [value], format }, context),
    unset: ({ format }, context) => setSleepAfter({ ...REST, positionals: ["0"], format }, context),
    show: ({ sleep_after_seconds: seconds = 0 }) => (seconds === 0 ? undefined : formatSeconds(seconds)),
  },
  usage: {
    get: ({ format }, context) => getUsage({ ...NO_ARGUMENT, format }, context),
    set: (value, { format }, context) => setUsage({ ...REST, positionals: [readOnOff(value)], format }, context),
    unset: ({ format }, context) => setUsage({ ...REST, positionals: ["on"], format }, context),
    show: ({ record_usage: isOn = true }) => (isOn ? undefined : "off"),
  },
  "otel.endpoint": createOtel("endpoint", ({ otel }) => otel.endpoint || undefined),
  "otel.env-vars": createOtel("env-vars", ({ otel }) => otel["env-vars"].join(",") || undefined),
  "otel.insecure": createOtel("insecure", ({ otel }) => otel.insecure?.toString()),
  "otel.sampling-rate": createOtel("sampling-rate", ({ otel }) => otel["sampling-rate"]?.toString()),
};

function readOnOff(value: string): "on" | "off" {
  if (value === "on" || value === "off") return value;
  throw new ThvError("USAGE", `VALUE is "${value.slice(0, 60)}", but must be on or off.`, {
    hint: "For example: thv config set usage off",
  });
}

function createOtel(word: string, show: Setting["show"]): Setting {
  return {
    get: ({ format }, context) => getOtel(word)({ ...NO_ARGUMENT, format }, context),
    set: (value, { format }, context) => setOtel(word)({ ...REST, positionals: [value], format }, context),
    unset: ({ format }, context) => unsetOtel(word)({ ...NO_ARGUMENT, format }, context),
    show,
  };
}

export const getByKey: CommandHandler<typeof CONFIG_GET> = async (input, context) =>
  await SETTINGS[input.positionals[0]].get(input, context);

export const setByKey: CommandHandler<typeof CONFIG_SET> = async (input, context) => {
  const [key, value] = input.positionals;
  await SETTINGS[key].set(value, input, context);
};

export const unsetByKey: CommandHandler<typeof CONFIG_UNSET> = async (input, context) =>
  await SETTINGS[input.positionals[0]].unset(input, context);

export const listSettings: CommandHandler<typeof CONFIG_LIST> = async (input, context) => {
  const config = await openConfig(context).load();
  const values = Object.entries(SETTINGS).map(([key, { show }]) => [key, show(config)] as const);
  if (input.format === "json") {
    context.terminal.printJson(Object.fromEntries(values.map(([key, value]) => [key, value ?? null])));
    return;
  }
  printTable({ header: ["KEY", "VALUE"], rows: values.map(([key, value]) => [key, value ?? "-"]) }, context.terminal);
  context.terminal.info("Change one: thv config set KEY VALUE");
};
