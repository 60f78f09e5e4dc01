/** What a JSON schema has against a value. Servers write schemas: one that cannot be used objects to nothing. */
import { type Schema, type SchemaDraft, Validator } from "@cfworker/json-schema";
import type { Problems } from "./draft.ts";

/** Keywords whose values are patterns: one of a server could keep the page busy for ever. The server tries them. */
const UNTRIED = new Set(["pattern", "patternProperties", "format"]);
const MAX_PROBLEMS = 50;

/** @returns By where it is in the value. Of an object and its member, the member's. */
export function checkValue(schema: unknown, value: unknown): Problems {
  try {
    // As the server will get it, and without what JSON cannot have.
    const instance: unknown = JSON.parse(JSON.stringify(value));
    const { errors } = new Validator(withoutPatterns(schema) as Schema, readDraft(schema), false).validate(instance);
    const problems = new Map<string, string>();
    const places = new Set(errors.map(({ instanceLocation }) => instanceLocation));
    for (const { instanceLocation, keyword, error } of errors) {
      const hasInner = [...places].some((place) => place.startsWith(`${instanceLocation}/`));
      if (hasInner && keyword !== "required") continue;
      const where = decodeURI(instanceLocation);
      if (problems.size < MAX_PROBLEMS && !problems.has(where)) problems.set(where, error);
    }
    return problems;
  } catch {
    return new Map();
  }
}

function readDraft(schema: unknown): SchemaDraft {
  const named = typeof schema === "object" && schema !== null && "$schema" in schema ? String(schema.$schema) : "";
  if (named.includes("draft-04")) return "4";
  if (/draft-0[67]/.test(named)) return "7";
  return named.includes("2019-09") ? "2019-09" : "2020-12";
}

/** @param isMap Whether the keys are names of the server's own and no keywords. */
function withoutPatterns(schema: unknown, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withoutPatterns(each));
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key]) => isMap || !UNTRIED.has(key));
  return Object.fromEntries(
    kept.map(([key, each]) => {
      if (!isMap && (key === "enum" || key === "const" || key === "default")) return [key, each];
      return [key, withoutPatterns(each, !isMap && /^(properties|\$defs|definitions|dependentSchemas)$/.test(key))];
    }),
  );
}
