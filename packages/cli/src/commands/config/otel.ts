/** `thv config otel get-`, `set-` and `unset-endpoint`, `-env-vars`, `-sampling-rate` */
import type { Config } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { printOutcome } from "../print-outcome.ts";
import { openConfig } from "../shared/open-registry.ts";
import type { OtelShape, SetOtelShape } from "./otel-definition.ts";

type Otel = Config["otel"];

const SHOWN_LENGTH = 100;

interface Setting {
  /** What it is called in the messages. */
  readonly label: string;
  readonly key: keyof Otel;
  /** @throws {ThvError} `INVALID_ARGUMENT`. */
  readonly parse: (text: string) => Partial<Otel>;
  /** One line for a person; `undefined` when it is not set. */
  readonly show: (otel: Otel) => string | undefined;
  readonly without: (otel: Otel) => Otel;
}

const SETTINGS: Readonly<Record<string, Setting>> = {
  insecure: {
    label: "use of plain http",
    key: "insecure",
    parse: (text) => ({ insecure: parseYesNo(text) }),
    show: ({ insecure }) => (insecure === undefined ? undefined : String(insecure)),
    without: ({ insecure: _insecure, ...otel }) => otel,
  },
  endpoint: {
    label: "OpenTelemetry endpoint",
    key: "endpoint",
    parse: (text) => ({ endpoint: parseEndpoint(text) }),
    show: ({ endpoint }) => endpoint || undefined,
    without: (otel) => ({ ...otel, endpoint: "" }),
  },
  "env-vars": {
    label: "list of variables for traces",
    key: "env-vars",
    parse: (text) => ({ "env-vars": parseVariables(text) }),
    show: ({ "env-vars": names }) => (names.length > 0 ? names.join(",") : undefined),
    without: (otel) => ({ ...otel, "env-vars": [] }),
  },
  "sampling-rate": {
    label: "sampling rate",
    key: "sampling-rate",
    parse: (text) => ({ "sampling-rate": parseRate(text) }),
    show: ({ "sampling-rate": rate }) => (rate === undefined ? undefined : String(rate)),
    without: ({ "sampling-rate": _rate, ...otel }) => otel,
  },
};

export function getOtel(word: string): CommandHandler<OtelShape> {
  const setting = findSetting(word);
  return async (input, context) => {
    const { otel } = await openConfig(context).load();
    const shown = setting.show(otel);
    printOutcome(input, context, describe(setting, otel), shown);
    if (shown === undefined && input.format !== "json") reportUnset(setting, context);
  };
}

export function setOtel(word: string): CommandHandler<SetOtelShape> {
  const setting = findSetting(word);
  return async (input, context) => {
    const change = setting.parse(input.positionals[0]);
    const { otel } = await openConfig(context).update((config) => ({ ...config, otel: { ...config.otel, ...change } }));
    printOutcome(input, context, describe(setting, otel), `The ${setting.label} is ${setting.show(otel)}.`);
  };
}

export function unsetOtel(word: string): CommandHandler<OtelShape> {
  const setting = findSetting(word);
  return async (input, context) => {
    const config = openConfig(context);
    const { otel: before } = await config.load();
    if (setting.show(before) === undefined) {
      reportUnset(setting, context);
      printOutcome(input, context, describe(setting, before));
      return;
    }
    const { otel } = await config.update((current) => ({ ...current, otel: setting.without(current.otel) }));
    printOutcome(input, context, describe(setting, otel), `The ${setting.label} is not set any more.`);
    const value = setting.show(before)?.replaceAll(", ", ",");
    context.terminal.info(`To undo it: thv config otel set-${word} ${value}`);
  };
}

/** What `--format json` prints, whatever was done. */
function describe({ key }: Setting, otel: Otel): object {
  return { [key]: otel[key] ?? null };
}

function reportUnset({ label }: Setting, { terminal }: CommandContext): void {
  terminal.info(`No ${label} is configured.`);
}

function findSetting(word: string): Setting {
  const setting = SETTINGS[word];
  if (!setting) throw new Error(`there is no setting "${word}"`);
  return setting;
}

function parseEndpoint(text: string): string {
  const endpoint = text.trim();
  const isHost = /^(?:https?:\/\/)?(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:(\d{1,5}))?$/i.exec(endpoint);
  if (isHost && Number(isHost[3] ?? 1) <= 65_535) return endpoint;
  const shown = endpoint.slice(0, SHOWN_LENGTH);
  throw new ThvError(
    "INVALID_ARGUMENT",
    `The endpoint "${shown}" is not HOST or HOST:PORT, with or without http:// or https://.`,
    {
      hint: "For example: thv config otel set-endpoint localhost:4318",
    },
  );
}

function parseYesNo(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  const shown = text.slice(0, SHOWN_LENGTH);
  throw new ThvError("INVALID_ARGUMENT", `The use of plain http is "${shown}" but must be true or false.`);
}

function parseVariables(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.filter((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (wrong.length === 0) return [...new Set(names)];
  const list = wrong.map((name) => `"${name}"`).join(", ");
  throw new ThvError("INVALID_ARGUMENT", `Not the name of a variable: ${list}.`, {
    hint: "For example: thv config otel set-env-vars HOSTNAME,DEPLOYMENT",
  });
}

function parseRate(text: string): number {
  const rate = text.trim() === "" ? Number.NaN : Number(text);
  if (rate >= 0 && rate <= 1) return rate;
  throw new ThvError("INVALID_ARGUMENT", `The sampling rate is "${text}" but must be a number from 0 to 1.`);
}
