/** A schema as a JSON schema document (draft-07, which editors know), as the site publishes it. */
import type { TSchema } from "typebox";

type Json = Record<string, unknown>;

export function buildPublishedSchema(title: string, schema: TSchema): Json {
  const definitions: Json = {};
  // Schemas carry hidden marks of the schema library; JSON does not.
  const root = moveNamed(JSON.parse(JSON.stringify(schema)), definitions) as Json;
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title,
    ...root,
    definitions: Object.fromEntries(Object.entries(definitions).sort(([left], [right]) => (left < right ? -1 : 1))),
  };
}

/** Named schemas move to the definitions and are referred to. */
function moveNamed(value: unknown, definitions: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => moveNamed(item, definitions));
  if (typeof value !== "object" || value === null) return value;
  const { $id, ...rest } = value as Json;
  const moved = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, moveNamed(item, definitions)]));
  if (typeof $id !== "string") return moved;
  definitions[$id] = moved;
  return { $ref: `#/definitions/${$id}` };
}
