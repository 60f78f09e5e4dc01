/** `thv config otel` and its commands. Source: cli.md 3.9. */
import { type Command, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import type { Positional } from "../../command-line/flag.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";

export const OTEL_GROUP: CommandGroup = {
  path: ["config", "otel"],
  summary: "Show and change where traces go",
  description:
    "OpenTelemetry settings of new servers; the flags of thv run override them. Existing servers keep the settings that they were started with.",
};

interface OtelSetting {
  /** Last part of the commands' names. */
  readonly word: string;
  readonly what: string;
  readonly positional: Positional;
  readonly description: string;
  readonly example: string;
}

const SETTINGS: readonly OtelSetting[] = [
  {
    word: "endpoint",
    what: "the collector that traces are sent to",
    positional: { name: "ENDPOINT", summary: "HOST or HOST:PORT of the collector, or its URL" },
    description:
      "Takes HOST or HOST:PORT of a collector that speaks OTLP over HTTP. With http:// or https://, the URL determines whether thv uses TLS. Without a scheme, thv uses plain HTTP for a collector on this machine and TLS for any other, unless set-insecure or thv run --otel-insecure changes that.",
    example: "localhost:4318",
  },
  {
    word: "insecure",
    what: "whether plain HTTP is used",
    positional: { name: "VALUE", summary: "true or false", values: ["true", "false"] },
    description: "Applies to an endpoint without http:// or https://.",
    example: "true",
  },
  {
    word: "env-vars",
    what: "the environment variables that are added to traces",
    positional: { name: "VARIABLES", summary: "Names of variables, separated by commas" },
    description:
      "Takes names, separated by commas. thv reads their values on this machine, and sends them with the traces.",
    example: "HOSTNAME,DEPLOYMENT",
  },
  {
    word: "sampling-rate",
    what: "the share of requests that is traced",
    positional: { name: "RATE", summary: "A number from 0 to 1" },
    description: "Takes a number from 0 (none) to 1 (all).",
    example: "0.25",
  },
];

const FLAGS = { format: FORMAT_FLAG };

/** The input of the commands that show or remove a setting. */
export interface OtelShape {
  readonly flags: typeof FLAGS;
  readonly positionals: readonly [];
}

/** The input of the commands that set one. */
export interface SetOtelShape {
  readonly flags: typeof FLAGS;
  readonly positionals: readonly [Positional];
}

export const OTEL_COMMANDS: readonly Command[] = SETTINGS.flatMap(
  ({ word, what, positional, description, example }) => [
    defineCommand(
      {
        path: ["config", "otel", `get-${word}`],
        summary: `Show ${what}`,
        positionals: [],
        flags: FLAGS,
        examples: [{ summary: "Show the setting", command: `thv config otel get-${word}` }],
      },
      async () => (await import("./otel.ts")).getOtel(word),
    ),
    defineCommand(
      {
        path: ["config", "otel", `set-${word}`],
        summary: `Set ${what}`,
        description,
        positionals: [positional],
        flags: FLAGS,
        examples: [{ summary: "Set a value", command: `thv config otel set-${word} ${example}` }],
      },
      async () => (await import("./otel.ts")).setOtel(word),
    ),
    defineCommand(
      {
        path: ["config", "otel", `unset-${word}`],
        summary: `Reset ${what}`,
        positionals: [],
        flags: FLAGS,
        examples: [{ summary: "Remove the setting", command: `thv config otel unset-${word}` }],
      },
      async () => (await import("./otel.ts")).unsetOtel(word),
    ),
  ],
);
