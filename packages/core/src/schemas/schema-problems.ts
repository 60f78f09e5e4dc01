/**
 * What is wrong with a value that a person wrote (a registry, a settings file), as sentences with paths: all of it at
 * once, so that a file is corrected in one go.
 */
import { quote, toRecord } from "@toolhive/http/values";
import type { TSchema } from "typebox";
import type { TLocalizedValidationError } from "typebox/error";
import { Errors } from "typebox/schema";
import { Settings } from "typebox/system";
import {
  formatPath,
  formatPointer,
  type LocatedProblem,
  listSentences,
  type NameMember,
  parsePointer,
} from "../support/located-problem.ts";
import { checkValue } from "./check-value.ts";
import { findNearestMember } from "./nearest-member.ts";
import { findPatternWords } from "./pattern-words.ts";
import { REFUSED_MEMBERS } from "./refused-members.ts";
import { type ThinValue, thinValue } from "./thin-value.ts";

/** Problems listed at most; a file with more is of the wrong kind. */
const MAX_PROBLEMS = 200;
/** Characters of a text that are repeated. */
const SHOWN_LENGTH = 60;
/** Up to this many members of an object, all are listed for a user who wrote another one. */
const MAX_NAMED_MEMBERS = 8;

export interface ProblemOptions {
  /** What the whole value is called. Default: `the file`. */
  readonly root?: string;
  /** What its members are called. Default: their paths. */
  readonly name?: NameMember | undefined;
  /** Added where a text is required and a number, true, false or null was found, such as `put it in quotes`. */
  readonly textHint?: string;
}

/** Of what this program has written itself. @throws {Error} whose message lists every problem. */
export function assertMatches(schema: TSchema, value: unknown): void {
  const problems = listProblems(schema, value);
  if (problems.length > 0) throw new Error(listSentences(problems).join("; "));
}

/** @returns Each problem once, in the order of the value; `[]` when it is what the schema says. */
export function listProblems(schema: TSchema, value: unknown, options: ProblemOptions = {}): LocatedProblem[] {
  const found = findProblems(schema, value, options);
  return [...new Map(found.map((problem) => [problem.sentence, problem])).values()];
}

function findProblems(schema: TSchema, value: unknown, options: ProblemOptions): LocatedProblem[] {
  const { root = "the file", name, textHint } = options;
  // Most values are right, and confirming that is far cheaper than searching for mistakes.
  if (checkValue(schema, value)) return [];
  const namePath = (pointer: string) => {
    const path = parsePointer(pointer);
    if (path.length === 0) return root;
    return name?.(path, formatPath(path)) ?? formatPath(path);
  };
  const thin = thinValue(value);
  const errors = chooseForms(listErrors(schema, thin.value));
  if (errors.length === 0) return [{ sentence: `${namePath("")} has a mistake in a very long list or name`, path: [] }];
  // A member that is not allowed is reported as itself and at its owner, whose sentence names it. The validator also reports the
  // owner of a map when one of its values is wrong, which that value's own sentence states.
  const forbidden = new Set(errors.flatMap((error) => (error.keyword === "boolean" ? [error.instancePath] : [])));
  const isForbidden = (owner: string, name: string) => forbidden.has(`${owner}${formatPointer([name])}`);
  return errors.flatMap((error) => {
    const path = parsePointer(error.instancePath);
    switch (error.keyword) {
      case "boolean":
      // The name's own sentence says what names must be.
      case "propertyNames":
        return [];
      case "additionalProperties": {
        const names = error.params.additionalProperties.filter((name) => isForbidden(error.instancePath, name));
        return names.map((name) => ({
          sentence: describeUnknownMember(findSchema(schema, path), namePath(error.instancePath), name),
          path: [...path, name],
        }));
      }
      default:
        return [{ sentence: describeProblem(error, thin, { namePath, textHint, schema }), path }];
    }
  });
}

/**
 * Of a value that may have one of several forms, the errors of each form contradict those of the others. Those of the only form whose
 * type the value has are kept, or else the one error that it has none of them.
 */
function chooseForms(errors: readonly TLocalizedValidationError[]): readonly TLocalizedValidationError[] {
  const unions = errors.filter(({ keyword }) => keyword === "anyOf");
  return unions.reduce((kept, union) => {
    const readForm = ({ schemaPath }: TLocalizedValidationError) =>
      schemaPath.startsWith(`${union.schemaPath}/anyOf/`)
        ? schemaPath.slice(union.schemaPath.length).split("/")[2]
        : undefined;
    const isOther = ({ keyword, instancePath }: TLocalizedValidationError) =>
      instancePath === union.instancePath && ["type", "const", "enum"].includes(keyword);
    const forms = new Set(errors.map(readForm).filter((form) => form !== undefined));
    for (const error of errors) if (isOther(error)) forms.delete(readForm(error) ?? "");
    const [nearest] = forms.size === 1 ? forms : [];
    return kept.filter((error) => {
      if (error === union) return nearest === undefined;
      const form = readForm(error);
      return form === undefined || form === nearest;
    });
  }, errors);
}

function listErrors(schema: TSchema, value: unknown): TLocalizedValidationError[] {
  const { maxErrors } = Settings.Get();
  // The library's own limit is 8 and belongs to the whole process: nothing else runs until it is put back.
  Settings.Set({ maxErrors: MAX_PROBLEMS });
  try {
    return Errors(schema, value)[1];
  } finally {
    Settings.Set({ maxErrors });
  }
}

/** What the place of a JSON pointer is called. */
type FormatPath = (pointer: string) => string;

interface DescribeOptions {
  readonly namePath: FormatPath;
  readonly textHint: string | undefined;
  /** Of the whole value. */
  readonly schema: TSchema;
}

function describeProblem(
  error: TLocalizedValidationError,
  thin: ThinValue,
  { namePath, textHint, schema }: DescribeOptions,
): string {
  const path = namePath(error.instancePath);
  const found = findValue(thin.value, error.instancePath);
  switch (error.keyword) {
    case "required": {
      const missing = error.params.requiredProperties;
      return `${path} is missing ${missing.map((member) => quote(member, SHOWN_LENGTH)).join(", ")}`;
    }
    case "type":
      return `${path} is ${describeType(found)} but must be ${[error.params.type].flat().map(addArticle).join(" or ")}${
        textHint !== undefined && error.params.type === "string" && isPlainScalar(found) ? `: ${textHint}` : ""
      }`;
    case "enum":
      return `${path} is ${show(found)} but must be one of ${error.params.allowedValues.join(", ")}`;
    case "const":
      return `${path} is ${show(found)} but must be ${show(error.params.allowedValue)}`;
    case "pattern":
      if (error.schemaPath.endsWith("/propertyNames"))
        return describeForbiddenName(error.instancePath, error.params.pattern, namePath);
      return `${path} is ${show(found)}${describeDemand(error.params.pattern)}`;
    case "format":
      return `${path} is ${show(found)} but must be ${FORMATS[error.params.format] ?? `a valid ${error.params.format}`}`;
    case "minLength":
    case "maxLength": {
      const bound = error.keyword === "minLength" ? "at least" : "at most";
      return `${path} has ${count(String(found).length, "character")} but must have ${bound} ${error.params.limit}`;
    }
    case "minItems":
    case "maxItems": {
      const bound = error.keyword === "minItems" ? "at least" : "at most";
      return `${path} has ${count(thin.readLength(found as unknown[]), "item")} but must have ${bound} ${error.params.limit}`;
    }
    case "minProperties":
    case "maxProperties": {
      const bound = error.keyword === "minProperties" ? "at least" : "at most";
      return `${path} has ${count(Object.keys(toRecord(found)).length, "member")} but must have ${bound} ${error.params.limit}`;
    }
    case "minimum":
    case "maximum": {
      const bound = error.keyword === "minimum" ? "at least" : "at most";
      return `${path} is ${show(found)} but must be ${bound} ${error.params.limit}`;
    }
    case "anyOf": {
      const place = findSchema(schema, parsePointer(error.instancePath));
      return `${path} is ${show(found)} but must be ${describeBranches(place?.anyOf ?? [])}`;
    }
    case "uniqueItems":
      return `${path} names ${error.params.duplicateItems
        .map((index) => show((found as unknown[])[index]))
        .join(", ")} more than once`;
    default:
      return `${path} is ${show(found)}, which is not allowed there`;
  }
}

/** Formats in words, each completing "must be …". */
const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "a date and time such as 2025-07-17T12:00:00Z",
  uri: "an address such as https://example.com",
  "uri-reference": "an address such as https://example.com",
  hostname: "the name of a host such as example.com",
};

/** What YAML reads where no quotes say that it is a text. */
function isPlainScalar(value: unknown): boolean {
  return value === null || typeof value === "number" || typeof value === "boolean";
}

function describeDemand(pattern: string | RegExp): string {
  const meaning = findPatternWords(pattern);
  return meaning === undefined ? ", which does not have the required format" : ` but must be ${meaning}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function describeForbiddenName(pointer: string, pattern: string | RegExp, namePath: FormatPath): string {
  const owner = namePath(pointer.slice(0, pointer.lastIndexOf("/")));
  const meaning = findPatternWords(pattern);
  const demand = meaning === undefined ? ", which is not an allowed name" : ` but names there must be ${meaning}`;
  return `${owner} has ${quote(parsePointer(pointer).at(-1) ?? "", SHOWN_LENGTH)}${demand}`;
}

/** Says why it is refused, or names what may have been meant, or all that there is when that is not much. */
function describeUnknownMember(owner: SchemaNode | undefined, path: string, name: string): string {
  const reason = REFUSED_MEMBERS[`${owner?.$id}.${name}`];
  if (reason !== undefined) return `${path} has ${quote(name, SHOWN_LENGTH)}, but ${reason}`;
  const known = Object.keys(owner?.properties ?? {});
  const problem = `${path} has the unknown member ${quote(name, SHOWN_LENGTH)}`;
  const meant = findNearestMember(name, known);
  if (meant !== undefined) return `${problem} (did you mean ${quote(meant, SHOWN_LENGTH)}?)`;
  const isShort = known.length > 0 && known.length <= MAX_NAMED_MEMBERS;
  return isShort ? `${problem} (known members: ${known.join(", ")})` : problem;
}

interface SchemaNode {
  readonly $id?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  /** Of a map, for which the schema library has one pattern. */
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly anyOf?: readonly SchemaNode[];
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
}

/** Most forms of an object that a sentence lists by their required members; more would fill a page. */
const MAX_BRANCHES = 6;

/** @returns What a value may be, completing "must be …". */
function describeBranches(branches: readonly SchemaNode[]): string {
  const words = [...new Set(branches.map(describeBranch))];
  if (words.length === 0 || words.length > MAX_BRANCHES) return "of another form";
  return new Intl.ListFormat("en-GB", { type: "disjunction" }).format(words);
}

function describeBranch({ const: only, enum: values, type, required = [] }: SchemaNode): string {
  if (only !== undefined) return show(only);
  if (values !== undefined) return values.map(show).join(" or ");
  if (type === undefined) return "of another form";
  return required.length === 0
    ? addArticle(type)
    : `${addArticle(type)} with ${required.map((name) => quote(name, SHOWN_LENGTH)).join(", ")}`;
}

/** The schema of one place in the value; `undefined` where the schema does not lead there in a straight line. */
function findSchema(schema: TSchema, path: readonly string[]): SchemaNode | undefined {
  let at: SchemaNode | undefined = schema as SchemaNode;
  for (const part of path) {
    const isOwn: boolean = at?.properties !== undefined && Object.hasOwn(at.properties, part);
    const next: SchemaNode | boolean | undefined = isOwn
      ? at?.properties?.[part]
      : (at?.items ?? at?.additionalProperties ?? Object.values(at?.patternProperties ?? {})[0]);
    at = typeof next === "object" ? next : undefined;
  }
  return at;
}

function findValue(root: unknown, pointer: string): unknown {
  return parsePointer(pointer).reduce<unknown>((value, part) => {
    const isOwn = typeof value === "object" && value !== null && Object.hasOwn(value, part);
    return isOwn ? (value as Record<string, unknown>)[part] : undefined;
  }, root);
}

function show(value: unknown): string {
  if (typeof value === "string") return quote(value, SHOWN_LENGTH);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return describeType(value);
}

function describeType(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  return Array.isArray(value) ? "a list" : addArticle(typeof value);
}

function addArticle(type: string): string {
  if (type === "array") return "a list";
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}
