/** What a handler gets: the values of the flags and the arguments, with types that follow from the command's definition. */
import { resolve } from "node:path";
import { parseDuration } from "@toolhive/core/duration";
import { ThvError } from "@toolhive/core/errors";
import { parseMemory } from "@toolhive/core/resource-limits";
import { type Flag, type Flags, listFlags, type NamedFlag, type Positional } from "./flag.ts";
import type { Mistakes } from "./mistakes.ts";

/** The parts of a definition that decide the type of the input. */
export interface InputShape {
  readonly flags: Flags;
  readonly positionals: readonly Positional[];
}

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type NumberKind = "int" | "port" | "float" | "duration" | "memory";

type ListKind = "stringArray" | "pathArray" | "strings";

type GivenValue<F extends Flag> = F["kind"] extends "bool"
  ? boolean
  : F["kind"] extends ListKind
    ? readonly string[]
    : F["kind"] extends NumberKind
      ? number
      : F extends { readonly values: readonly (infer Value)[] }
        ? Value
        : string;

type FlagValue<F extends Flag> = F["kind"] extends "bool" | ListKind
  ? GivenValue<F>
  : F extends { readonly default: string | number } | { readonly isRequired: true }
    ? GivenValue<F>
    : GivenValue<F> | undefined;

type PositionalValue<P> =
  | (P extends { readonly values: readonly (infer Value)[] } ? Value : string)
  | (P extends { readonly isOptional: true } ? undefined : never);

type PositionalValues<P extends readonly Positional[]> = P extends readonly [{ readonly isRepeated: true }]
  ? readonly string[]
  : { readonly [Index in keyof P]: PositionalValue<P[Index]> };

/** The values of the flags: `--proxy-port` is `proxyPort`. */
export type FlagValues<F extends Flags> = {
  readonly [Name in keyof F & string as CamelCase<Name>]: FlagValue<F[Name]>;
};

/** What the handler of a command gets. A `duration` is in milliseconds, `memory` in bytes. */
export type Input<D extends InputShape> = FlagValues<D["flags"]> & {
  readonly positionals: PositionalValues<D["positionals"]>;
  /** The arguments after `--`; for commands that pass them on. */
  readonly rest: readonly string[];
  /** Whether the flag was written or set by the environment, as opposed to its default. */
  readonly isGiven: (name: CamelCase<keyof D["flags"] & string>) => boolean;
};

/** The input of a command of which nothing is known. */
export interface ParsedInput {
  readonly [flag: string]: unknown;
  readonly positionals: readonly string[];
  readonly rest: readonly string[];
  readonly isGiven: (name: string) => boolean;
}

export type WrittenValue = string | number | boolean;

/** One written flag, as the tokenizer has cut it. */
interface WrittenFlag {
  /** With its dashes. */
  readonly rawName: string;
  readonly value: string | undefined;
  /** Whether the value is joined to the name. */
  readonly inlineValue: boolean | undefined;
}

/** @throws {ThvError} `USAGE` naming the flag, the value and what is accepted. */
export function readFlagValue(flag: NamedFlag, { rawName, value, inlineValue }: WrittenFlag): WrittenValue {
  if (flag.kind === "bool") {
    if (value === undefined || value === "true") return true;
    if (value === "false") return false;
    throw new ThvError("USAGE", `--${flag.name} is "${value}" but must be true or false.`);
  }
  if (value === undefined) throw new ThvError("USAGE", `--${flag.name} needs a value.`, { hint: flagHint(flag) });
  // `-x=value`: the tokenizer keeps the "=" of a short flag.
  const text = inlineValue && !rawName.startsWith("--") ? value.replace(/^=/, "") : value;
  return readValue(flag, `--${flag.name}`, text);
}

const MAX_PORT = 65_535;

function readValue(flag: NamedFlag, source: string, text: string): WrittenValue {
  const value = parseValue(flag, text);
  const expected = value === undefined ? EXPECTATIONS[flag.kind] : findBrokenBound(flag, value);
  if (value !== undefined && expected === undefined) return value;
  throw new ThvError("USAGE", `${source} is "${text}" but must be ${expected}.`, { hint: valueHint(flag, text) });
}

/** Ends the sentence "… is … but must be". */
const EXPECTATIONS: Readonly<Partial<Record<Flag["kind"], string>>> = {
  int: "a whole number",
  port: "a whole number",
  float: "a number",
  duration: "a duration like 30s or 1m30s",
  memory: "a size as 512m or 2g, or 0 for no limit",
};

/** @returns `undefined` for a text that is nothing of this kind. */
function parseValue({ kind, mayBeStdin }: Flag, text: string): WrittenValue | undefined {
  switch (kind) {
    case "int":
    case "port":
      return /^-?\d+$/.test(text) ? Number(text) : undefined;
    case "float":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case "duration":
      return parseDuration(text);
    case "memory":
      return parseMemory(text);
    case "path":
    case "pathArray":
      return mayBeStdin || text === "" ? text : resolve(text);
    default:
      return text;
  }
}

/** @returns What the value has to be; `undefined` when it is that. */
function findBrokenBound({ kind, values, unit, isPositive, ...flag }: Flag, value: WrittenValue): string | undefined {
  if (values && !values.includes(String(value))) return values.join(" or ");
  if (isPositive && Number(value) <= 0) return "positive";
  const [min, max] = kind === "port" ? [flag.min ?? 1, MAX_PORT] : [flag.min ?? -Infinity, flag.max ?? Infinity];
  if (typeof value !== "number" || (value >= min && value <= max)) return undefined;
  return `between ${min} and ${max}${unit === undefined ? "" : ` ${unit}`}`;
}

/** A missing unit is the most frequent mistake. */
function valueHint(flag: NamedFlag, text: string): string {
  if (flag.kind === "duration" && /^\d+$/.test(text))
    return `With its unit: --${flag.name} ${text}s, or ${text}m for minutes`;
  return flagHint(flag);
}

export function flagHint({ name, summary, values }: NamedFlag): string {
  return `${summary}: --${name} ${values?.join("|") ?? "VALUE"}`;
}

interface Written {
  readonly positionals: readonly string[];
  readonly rest: readonly string[];
  /** By the name of the flag. */
  readonly values: ReadonlyMap<string, readonly WrittenValue[]>;
}

interface Surroundings {
  /** Gives the values of flags that are absent and name a variable. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives the mistakes in those values; they count as absent. */
  readonly mistakes: Mistakes;
}

/** The object that the command's handler gets. */
export function buildInput(
  definition: InputShape,
  { positionals, rest, values }: Written,
  surroundings: Surroundings,
): ParsedInput {
  const given = new Set<string>();
  const entries = listFlags(definition).map((flag) => {
    const property = toCamelCase(flag.name);
    const written = values.get(flag.name) ?? inheritedValues(flag, surroundings);
    if (written.length > 0) given.add(property);
    return [property, finalValue(flag, written)] as const;
  });
  return { ...Object.fromEntries(entries), positionals, rest, isGiven: (name) => given.has(name) };
}

function inheritedValues(flag: NamedFlag, { env, mistakes }: Surroundings): readonly WrittenValue[] {
  const inherited = flag.env === undefined ? undefined : env[flag.env];
  if (!inherited) return [];
  const value = mistakes.collect(() => readValue(flag, `The environment variable ${flag.env}`, inherited));
  return value === undefined ? [] : [value];
}

function finalValue(flag: NamedFlag, written: readonly WrittenValue[]): unknown {
  const { kind, name, default: fallback } = flag;
  if (kind === "bool") return written.at(-1) === true;
  const isFallback = written.length === 0 && fallback !== undefined;
  const values = isFallback ? [readValue(flag, `--${name}`, String(fallback))] : written;
  if (kind === "stringArray" || kind === "pathArray") return values;
  if (kind === "strings") return values.flatMap((text) => String(text).split(",")).map((part) => part.trim());
  return values.at(-1);
}

/** The property of the input that has the value of the flag. */
export function toCamelCase(name: string): string {
  return name.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}
