/** What a command gets: its arguments, read and checked flag by flag. */
import { parseDuration } from "@toolhive/core/duration";
import { ThvError } from "@toolhive/core/errors";
import type { Command, Flag } from "./command.ts";
import type { Mistakes } from "./mistakes.ts";

export interface ParsedInput {
  readonly positionals: readonly string[];
  /** What came after `--`; for commands that hand it on. */
  readonly rest: readonly string[];
  /** Whether it was written or came from the environment, as opposed to its default. */
  readonly isGiven: (name: string) => boolean;
  readonly string: (name: string) => string | undefined;
  readonly int: (name: string) => number | undefined;
  readonly float: (name: string) => number | undefined;
  readonly durationMs: (name: string) => number | undefined;
  readonly bool: (name: string) => boolean;
  readonly strings: (name: string) => readonly string[];
}

export type FlagValues = ReadonlyMap<string, readonly (string | boolean)[]>;

/** One written flag, as the tokenizer has cut it. */
interface WrittenFlag {
  /** With its dashes. */
  readonly rawName: string;
  readonly value: string | undefined;
  /** Whether the value is joined to the name. */
  readonly inlineValue: boolean | undefined;
}

/** @throws {ThvError} `USAGE` naming the flag, the value and what is accepted. */
export function readFlagValue(flag: Flag, { rawName, value, inlineValue }: WrittenFlag): string | boolean {
  if (flag.kind === "bool") {
    if (value === undefined || value === "true") return true;
    if (value === "false") return false;
    throw new ThvError("USAGE", `--${flag.name} is "${value}", but has to be true or false.`);
  }
  if (value === undefined) throw new ThvError("USAGE", `--${flag.name} needs a value.`, { hint: flagHint(flag) });
  // `-x=value`: the tokenizer keeps the "=" of a short flag.
  const text = inlineValue && !rawName.startsWith("--") ? value.replace(/^=/, "") : value;
  checkText(flag, `--${flag.name}`, text);
  return text;
}

function checkText(flag: Flag, source: string, text: string): void {
  const refuse = (expectation: string) =>
    new ThvError("USAGE", `${source} is "${text}", but has to be ${expectation}.`, { hint: flagHint(flag) });
  if (flag.kind === "int" && !/^-?\d+$/.test(text)) throw refuse("a whole number");
  if (flag.kind === "float" && (text.trim() === "" || !Number.isFinite(Number(text)))) throw refuse("a number");
  if (flag.kind === "duration" && parseDuration(text) === undefined) throw refuse("a duration like 30s or 1m30s");
  if (flag.values && !flag.values.includes(text)) throw refuse(flag.values.join(" or "));
}

export function flagHint(flag: Flag): string {
  return `${flag.summary}: --${flag.name} ${flag.values?.join("|") ?? "VALUE"}`;
}

/**
 * @param env Gives the values of flags that are absent and name a variable.
 * @param mistakes Gets what is wrong with those values; they count as absent.
 */
export function inputOf(
  command: Command,
  { positionals, rest }: Pick<ParsedInput, "positionals" | "rest">,
  given: FlagValues,
  { env, mistakes }: { readonly env: Readonly<Record<string, string | undefined>>; readonly mistakes: Mistakes },
): ParsedInput {
  const values = new Map(given);
  for (const flag of command.flags) {
    const inherited = flag.env === undefined ? undefined : env[flag.env];
    if (values.has(flag.name) || !inherited) continue;
    mistakes.collect(() => {
      checkText(flag, `The environment variable ${flag.env}`, inherited);
      values.set(flag.name, [inherited]);
    });
  }
  const last = (name: string) => {
    const fallback = command.flags.find((flag) => flag.name === name)?.default;
    return values.get(name)?.at(-1) ?? fallback;
  };
  const string = (name: string) => {
    const value = last(name);
    return value === undefined ? undefined : String(value);
  };
  const number = (name: string) => {
    const value = string(name);
    return value === undefined ? undefined : Number(value);
  };
  return {
    positionals,
    rest,
    isGiven: (name) => values.has(name),
    string,
    int: number,
    float: number,
    durationMs: (name) => {
      const value = string(name);
      return value === undefined ? undefined : parseDuration(value);
    },
    bool: (name) => last(name) === true,
    strings: (name) => {
      const flag = command.flags.find((candidate) => candidate.name === name);
      const texts = values.get(name) ?? (flag?.default === undefined ? [] : [String(flag.default)]);
      if (flag?.kind !== "strings") return texts.map(String);
      return texts.flatMap((text) => String(text).split(",")).map((part) => part.trim());
    },
  };
}
