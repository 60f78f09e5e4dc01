/**
 * A JSON schema as fields of a form. Whatever a form cannot ask for by itself (unions, tuples, maps, what refers to
 * itself) is a field for JSON; a schema that describes no object has no form at all.
 */
import { isRecord, shorten } from "@toolhive/http/values";

interface FieldBase {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly isRequired: boolean;
  /** Value of the schema's `default`. */
  readonly preset: unknown;
}

interface GroupField extends FieldBase {
  readonly kind: "group";
  readonly fields: readonly FormField[];
}

interface ListField extends FieldBase {
  readonly kind: "list";
  readonly item: FormField;
}

interface ChoiceField extends FieldBase {
  readonly kind: "choice";
  readonly choices: readonly { readonly value: unknown; readonly label: string }[];
}

interface PlainField extends FieldBase {
  /** `line`: text for which one line is enough. */
  readonly kind: "text" | "line" | "number" | "json";
}

export type FormField = GroupField | ListField | ChoiceField | PlainField;

type Schema = Readonly<Record<string, unknown>>;

/** Objects within objects that get fields; what is deeper is JSON. */
const MAX_DEPTH = 4;
/** More than this is not a form anymore. */
const MAX_FIELDS = 200;
const MAX_CHOICES = 500;
const MAX_LABEL = 200;
const LINE_LENGTH = 100;

/** @returns The fields of an object; `undefined` when the schema is none, or none of an object. */
export function readFields(schema: unknown): readonly FormField[] | undefined {
  if (!isRecord(schema)) return undefined;
  const reader = new Reader(schema);
  const own = reader.resolve(schema);
  return own === undefined ? undefined : reader.readObject(own, 0);
}

/** A line break in a schema's text is a space. */
export function readLabel(value: unknown, length = MAX_LABEL): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.replace(/\s+/g, " ").trim();
  if (text === "") return undefined;
  return shorten(text, length);
}

class Reader {
  readonly #root: Schema;
  #count = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  readObject(schema: Schema, depth: number): readonly FormField[] | undefined {
    const { properties, type } = schema;
    if (type !== undefined && type !== "object") return undefined;
    if (properties === undefined) return type === "object" && depth === 0 && !isOpen(schema) ? [] : undefined;
    if (!isRecord(properties)) return undefined;
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const fields = Object.entries(properties).map(([name, each]) => this.#read(name, each, required.has(name), depth));
    return this.#count > MAX_FIELDS ? undefined : fields;
  }

  /** Follows references within the schema. @returns `undefined` when one leads nowhere or in a circle. */
  resolve(schema: Schema): Schema | undefined {
    const seen = new Set<unknown>();
    let at: unknown = schema;
    while (isRecord(at)) {
      const { $ref: reference, ...beside } = at;
      if (reference === undefined) return at;
      if (typeof reference !== "string" || !reference.startsWith("#") || seen.has(at)) return undefined;
      seen.add(at);
      const target = this.#find(reference);
      // Members beside the reference, for example a description, add to it.
      at = isRecord(target) ? { ...target, ...beside } : undefined;
      if (seen.size > MAX_DEPTH) return undefined;
    }
    return undefined;
  }

  #find(reference: string): unknown {
    let at: unknown = this.#root;
    for (const part of reference.slice(1).split("/").slice(1)) {
      const name = decodePart(part);
      at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    }
    return at;
  }

  #read(name: string, given: unknown, isRequired: boolean, depth: number): FormField {
    this.#count += 1;
    const found = isRecord(given) ? this.resolve(given) : undefined;
    const schema = found === undefined ? undefined : withoutNull(found);
    const base: FieldBase = {
      name,
      label: readLabel(schema?.title) ?? name,
      hint: schema && readHint(schema),
      isRequired,
      preset: schema?.default,
    };
    if (schema === undefined || this.#count > MAX_FIELDS) return { ...base, kind: "json" };
    const choices = readChoices(schema);
    if (choices !== undefined) return { ...base, kind: "choice", choices };
    switch (schema.type) {
      case "string":
        return { ...base, kind: isLine(schema) ? "line" : "text" };
      case "number":
      case "integer":
        return { ...base, kind: "number" };
      case "array": {
        if (depth >= MAX_DEPTH || !isRecord(schema.items) || schema.prefixItems !== undefined) break;
        const item = this.#read(name, schema.items, true, depth + 1);
        return item.kind === "json" ? { ...base, kind: "json" } : { ...base, kind: "list", item };
      }
      case "object": {
        if (depth >= MAX_DEPTH || hasUnion(schema)) break;
        const fields = this.readObject(schema, depth + 1);
        if (fields !== undefined) return { ...base, kind: "group", fields };
      }
    }
    return { ...base, kind: "json" };
  }
}

function isOpen({ additionalProperties, patternProperties }: Schema): boolean {
  return isRecord(additionalProperties) || patternProperties !== undefined;
}

function hasUnion({ anyOf, oneOf, allOf }: Schema): boolean {
  return anyOf !== undefined || oneOf !== undefined || allOf !== undefined;
}

/** "A text or nothing" is a text that may be omitted. */
function withoutNull(schema: Schema): Schema {
  const { type, anyOf, ...rest } = schema;
  if (Array.isArray(type)) {
    const others = type.filter((each) => each !== "null");
    return others.length === 1 ? { ...schema, type: others[0] } : schema;
  }
  if (!Array.isArray(anyOf)) return schema;
  const others = anyOf.filter((each) => !isRecord(each) || each.type !== "null");
  return others.length === 1 && isRecord(others[0]) && others[0].$ref === undefined
    ? { ...others[0], ...rest }
    : schema;
}

function readChoices(schema: Schema): ChoiceField["choices"] | undefined {
  if (schema.type === "boolean") return [toChoice(true), toChoice(false)];
  if (Object.hasOwn(schema, "const")) return [toChoice(schema.const)];
  const { enum: values, enumNames: names, oneOf, anyOf } = schema;
  if (Array.isArray(values)) {
    if (values.length === 0 || values.length > MAX_CHOICES) return undefined;
    return values.map((value, index) => toChoice(value, Array.isArray(names) ? names[index] : undefined));
  }
  // A choice with titles, as elicitation has it.
  const titled = Array.isArray(oneOf) ? oneOf : anyOf;
  if (!Array.isArray(titled) || titled.length === 0 || titled.length > MAX_CHOICES) return undefined;
  if (!titled.every((each) => isRecord(each) && Object.hasOwn(each, "const"))) return undefined;
  return titled.map((each: Schema) => toChoice(each.const, each.title));
}

function toChoice(value: unknown, title?: unknown) {
  return { value, label: readLabel(title) ?? readLabel(value) ?? JSON.stringify(value) };
}

function isLine({ format, maxLength }: Schema): boolean {
  return typeof format === "string" || (typeof maxLength === "number" && maxLength <= LINE_LENGTH);
}

/**
 * The form shows a pattern and does not apply it: a server's pattern could keep the page busy for ever. The server applies it.
 */
function readHint({ description, format, pattern }: Schema): string | undefined {
  const parts = [readLabel(description, 1_000), readLabel(format), readLabel(pattern)];
  return parts.filter((part) => part !== undefined).join(" · ") || undefined;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
}
