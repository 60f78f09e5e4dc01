/** What a schema of the OpenAPI document says of a value, in words: its type, its bounds and its fields. For pages and agents. */
import type { Schema } from "./openapi-types.ts";

export interface Field {
  /** With the members around it: `network.outbound.ports`, `secrets[].name`. */
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

type Schemas = Readonly<Record<string, Schema>>;

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "`true` or `false`",
  object: "object",
  null: "`null`",
};

/** A field of a field of a field; deeper ones are in the document. */
const MAX_DEPTH = 4;

/** @param nameSchema What stands for a reference to a named schema. */
export function describeType(schema: Schema, nameSchema: (name: string) => string): string {
  const reference = readReference(schema);
  if (reference !== undefined) return nameSchema(reference);
  if (schema.const !== undefined) return `always \`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.anyOf !== undefined) return schema.anyOf.map((form) => describeType(form, nameSchema)).join(" or ");
  if (schema.type === "array")
    return schema.items === undefined ? "list" : `list of ${describeType(schema.items, nameSchema)}`;
  if (schema.format === "date-time") return "RFC 3339 time";
  const value = findMapValue(schema);
  if (value !== undefined) return `object with values of type ${describeType(value, nameSchema)}`;
  return TYPE_WORDS[schema.type ?? ""] ?? "any JSON value";
}

/** Description, default and bounds, as sentences. */
export function describeMeaning(schema: Schema): string {
  const parts = [schema.description ?? ""];
  if (schema.default !== undefined) parts.push(`Default: \`${String(schema.default)}\`.`);
  parts.push(describeBounds(schema.minimum, schema.maximum, ""));
  parts.push(describeBounds(schema.minLength, schema.maxLength, " characters"));
  parts.push(describeBounds(schema.minItems, schema.maxItems, " items"));
  parts.push(describeBounds(schema.minProperties, schema.maxProperties, " members"));
  return parts.filter((part) => part !== "").join(" ");
}

/** @param unit With a space before it; empty for a number itself. */
function describeBounds(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined && most > least) return `${least} to ${most}${unit}.`;
  if (most !== undefined) return least === most ? `Exactly ${most}${unit}.` : `At most ${most}${unit}.`;
  if (least === undefined || (unit !== "" && least === 0)) return "";
  return unit !== "" && least === 1 ? "Not empty." : `At least ${least}${unit}.`;
}

/**
 * The fields of an object, required ones first, each followed by its own fields.
 *
 * @param schemas Named ones, whose fields are listed where a field refers to them; without them a reference has no fields.
 */
export function listFields(schema: Schema, schemas: Schemas = {}, before = "", depth = 0): Field[] {
  if (depth >= MAX_DEPTH) return [];
  const { properties = {}, required = [] } = resolve(schema, schemas);
  const names = Object.keys(properties);
  const ordered = [
    ...names.filter((name) => required.includes(name)),
    ...names.filter((name) => !required.includes(name)),
  ];
  return ordered.flatMap((member): Field[] => {
    const own = properties[member] ?? {};
    const name = `${before}${member}`;
    const inner = own.type === "array" && own.items !== undefined ? own.items : own;
    const separator = inner === own ? "." : "[].";
    return [
      { name, schema: own, required: required.includes(member) },
      ...listFields(inner, schemas, `${name}${separator}`, depth + 1),
    ];
  });
}

/** The schema that a reference leads to, with the description that stands beside the reference. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  const reference = readReference(schema);
  return reference === undefined
    ? schema
    : { ...schemas[reference], ...(schema.description && { description: schema.description }) };
}

/** Names of the schemas that a part of the document refers to. */
export function listReferences(part: unknown): string[] {
  const found = [...JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)];
  return [...new Set(found.map(([, name]) => name ?? ""))];
}

function readReference({ $ref }: Schema): string | undefined {
  return $ref?.split("/").at(-1);
}

/** The values of an object whose names are the caller's; `undefined` for any other, and where any value fits. */
function findMapValue({ additionalProperties, patternProperties }: Schema): Schema | undefined {
  const [byPattern] = Object.values(patternProperties ?? {});
  const value = typeof additionalProperties === "object" ? additionalProperties : byPattern;
  return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}
