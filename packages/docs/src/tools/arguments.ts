/** Arguments of a tool as data: their JSON Schema, and a check whose sentences say what is allowed. */

import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { findNearest } from "@toolhive/core/nearest";
import { isRecord, shorten } from "@toolhive/http/values";

interface Described {
  readonly description: string;
  readonly isOptional?: boolean;
}

export interface TextArgument extends Described {
  readonly type: "string";
  /** The only values allowed. */
  readonly values?: readonly string[];
  readonly maxLength?: number;
}

export interface NumberArgument extends Described {
  readonly type: "integer";
  readonly minimum: number;
  readonly maximum: number;
}

type Argument = TextArgument | NumberArgument;
export type ArgumentTable = Readonly<Record<string, Argument>>;

type ValueOf<A extends Argument> = A extends { type: "integer" }
  ? number
  : A extends { values: readonly (infer V)[] }
    ? V
    : string;
type RequiredName<T extends ArgumentTable> = {
  [Name in keyof T]: T[Name] extends { isOptional: true } ? never : Name;
}[keyof T];
/** What a handler gets. */
export type ArgumentsOf<T extends ArgumentTable> = {
  readonly [Name in RequiredName<T>]: ValueOf<T[Name]>;
} & { readonly [Name in Exclude<keyof T, RequiredName<T>>]?: ValueOf<T[Name]> | undefined };

/** Characters of a text that has no bound of its own: a long log, and no more than a request may have. */
export const MAX_TEXT_CHARACTERS = 100_000;
/** Characters of a wrong value that a sentence repeats. */
const MAX_SHOWN = 60;

export function defineArguments<const T extends ArgumentTable>(
  table: T,
): StandardSchemaWithJSON<ArgumentsOf<T>, ArgumentsOf<T>> {
  const schema = () => ({
    type: "object",
    properties: Object.fromEntries(Object.entries(table).map(([name, argument]) => [name, createSchema(argument)])),
    required: Object.keys(table).filter((name) => table[name]?.isOptional !== true),
    additionalProperties: false,
  });
  return {
    "~standard": {
      version: 1,
      vendor: "toolhive",
      validate: (given) => {
        const issues = checkArguments(table, given).map((message) => ({ message }));
        // What was checked has the type that the table says.
        return issues.length > 0 ? { issues } : { value: given as ArgumentsOf<T> };
      },
      jsonSchema: { input: schema, output: schema },
    },
  };
}

function createSchema(argument: Argument): Record<string, unknown> {
  const { type, description } = argument;
  if (argument.type === "integer") return { type, description, minimum: argument.minimum, maximum: argument.maximum };
  return {
    type,
    description,
    ...(argument.values === undefined
      ? { minLength: 1, maxLength: argument.maxLength ?? MAX_TEXT_CHARACTERS }
      : { enum: argument.values }),
  };
}

function checkArguments(table: ArgumentTable, given: unknown): string[] {
  if (!isRecord(given)) return ["The arguments must be an object."];
  const names = Object.keys(table);
  const wrong = Object.keys(given)
    .filter((name) => !Object.hasOwn(table, name))
    .map((name) => {
      const near = findNearest(name, names);
      const meant = near === undefined ? "" : ` Did you mean "${near}"?`;
      return `There is no argument ${show(name)}; there are ${names.join(", ")}.${meant}`;
    });
  const values = new Map<string, unknown>(Object.entries(given));
  return [...wrong, ...names.flatMap((name) => checkArgument(name, table[name], values.get(name)) ?? [])];
}

function checkArgument(name: string, argument: Argument | undefined, value: unknown): string | undefined {
  if (argument === undefined) return undefined;
  if (value === undefined)
    return argument.isOptional === true ? undefined : `"${name}" is missing: ${argument.description}`;
  if (argument.type === "integer") {
    const { minimum, maximum } = argument;
    const isRight = typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum;
    return isRight
      ? undefined
      : `"${name}" is ${show(value)} but must be a whole number from ${minimum} to ${maximum}.`;
  }
  if (typeof value !== "string") return `"${name}" is ${show(value)} but must be a text.`;
  const { values, maxLength = MAX_TEXT_CHARACTERS } = argument;
  if (values !== undefined) {
    if (values.includes(value)) return undefined;
    const near = findNearest(value.toLowerCase(), values);
    return `"${name}" is ${show(value)} but must be one of ${values.join(", ")}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  }
  if (value.trim() === "") return `"${name}" is empty: ${argument.description}`;
  return value.length <= maxLength
    ? undefined
    : `"${name}" has ${value.length} characters, and at most ${maxLength} are read.`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return shorten(text, MAX_SHOWN);
}
