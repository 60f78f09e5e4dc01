/**
 * What is wrong with a value that a person wrote (a registry, a settings file), as sentences with paths: all of it at
 * once, so that a file is mended in one go.
 */
import type { TSchema } from "typebox";
import type { TLocalizedValidationError } from "typebox/error";
import { Settings } from "typebox/system";
import { Value } from "typebox/value";

/** Problems listed at most; whoever has more has the wrong kind of file. */
const MAX_PROBLEMS = 200;
/** Characters of a text that are repeated. */
const SHOWN_LENGTH = 60;

/** @returns One sentence a problem, without a full stop, in the order of the value; `[]` when it is what the schema says. */
export function listProblems(schema: TSchema, value: unknown): string[] {
  const errors = allErrors(schema, value);
  // A member that is not allowed is reported as itself and at its owner, whose sentence names it. The same is said of
  // the owner of a map when one of its values is wrong, which that value's own sentence tells.
  const forbidden = new Set(errors.flatMap((error) => (error.keyword === "boolean" ? [error.instancePath] : [])));
  const isForbidden = (owner: string, name: string) => forbidden.has(`${owner}/${escapeSegment(name)}`);
  const sentences = errors.flatMap((error) => {
    switch (error.keyword) {
      case "boolean":
      // The name's own sentence says what names have to be.
      case "propertyNames":
        return [];
      case "additionalProperties": {
        const names = error.params.additionalProperties.filter((name) => isForbidden(error.instancePath, name));
        return names.length > 0 ? [unknownMembers(error.instancePath, names)] : [];
      }
      default:
        return [describe(error, value)];
    }
  });
  return [...new Set(sentences)];
}

function allErrors(schema: TSchema, value: unknown): TLocalizedValidationError[] {
  const { maxErrors } = Settings.Get();
  // The library's own limit is 8 and belongs to the whole process: nothing else runs until it is put back.
  Settings.Set({ maxErrors: MAX_PROBLEMS });
  try {
    return Value.Errors(schema, value);
  } finally {
    Settings.Set({ maxErrors });
  }
}

function describe(error: TLocalizedValidationError, root: unknown): string {
  const path = formatPath(error.instancePath);
  const found = valueAt(root, error.instancePath);
  switch (error.keyword) {
    case "required": {
      const missing = error.params.requiredProperties;
      return `${path} lacks ${missing.map(quote).join(", ")}`;
    }
    case "type":
      return `${path} is ${typeOf(found)}, but has to be ${[error.params.type].flat().map(article).join(" or ")}`;
    case "enum":
      return `${path} is ${show(found)}, but has to be one of ${error.params.allowedValues.join(", ")}`;
    case "const":
      return `${path} is ${show(found)}, but has to be ${show(error.params.allowedValue)}`;
    case "pattern":
      if (error.schemaPath.endsWith("/propertyNames")) return forbiddenName(error.instancePath, error.params.pattern);
      return `${path} is ${show(found)}, but has to match ${error.params.pattern}`;
    case "format":
      return `${path} is ${show(found)}, which is not a valid ${error.params.format}`;
    case "minLength":
    case "maxLength": {
      const bound = error.keyword === "minLength" ? "at least" : "at most";
      return `${path} has ${String(found).length} characters, but has to have ${bound} ${error.params.limit}`;
    }
    case "minItems":
    case "maxItems": {
      const bound = error.keyword === "minItems" ? "at least" : "at most";
      return `${path} has ${(found as unknown[]).length} items, but has to have ${bound} ${error.params.limit}`;
    }
    case "minimum":
    case "maximum": {
      const bound = error.keyword === "minimum" ? "at least" : "at most";
      return `${path} is ${show(found)}, but has to be ${bound} ${error.params.limit}`;
    }
    case "uniqueItems":
      return `${path} names ${error.params.duplicateItems
        .map((index) => show((found as unknown[])[index]))
        .join(", ")} more than once`;
    default:
      return `${path} ${error.message}`;
  }
}

function forbiddenName(pointer: string, pattern: string | RegExp): string {
  const path = segments(pointer);
  const owner = pointer.slice(0, pointer.lastIndexOf("/"));
  return `${formatPath(owner)} has ${quote(path.at(-1) ?? "")}, but names there have to match ${pattern}`;
}

function unknownMembers(pointer: string, names: readonly string[]): string {
  const verb = names.length === 1 ? "is" : "are";
  return `${formatPath(pointer)} has ${names.map(quote).join(", ")}, which ${verb} not known here`;
}

/** A JSON pointer the way people write it: `servers.fetch.env_vars[0].name`. */
function formatPath(pointer: string): string {
  const path = segments(pointer)
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
  return path || "the file";
}

function valueAt(root: unknown, pointer: string): unknown {
  return segments(pointer).reduce<unknown>((value, part) => {
    const isOwn = typeof value === "object" && value !== null && Object.hasOwn(value, part);
    return isOwn ? (value as Record<string, unknown>)[part] : undefined;
  }, root);
}

function segments(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function escapeSegment(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function quote(text: string): string {
  return `"${text.slice(0, SHOWN_LENGTH)}"`;
}

function show(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeOf(value);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  return Array.isArray(value) ? "a list" : article(typeof value);
}

function article(type: string): string {
  if (type === "array") return "a list";
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}
