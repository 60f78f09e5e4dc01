/**
 * Reads a JSON body as existing clients send it (api-behaviour 1.4): whatever the content type, member names in any case,
 * `null` means absent, unknown members are ignored.
 */
import type { TSchema } from "typebox";
import { Value } from "typebox/value";

/** Thrown for a body that is not what the schema says; becomes the operation's `decodeError`. */
export class DecodeError extends Error {
  readonly problems: readonly string[];
  /** Whether nothing is wrong but that something was left out or empty. */
  readonly isMissing: boolean;
  constructor(problems: readonly string[], { isMissing = false } = {}) {
    super(problems.join("; "));
    this.problems = problems;
    this.isMissing = isMissing;
  }
}

export function decodeBody(text: string, schema: TSchema): unknown {
  const value = parseJson(text);
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new DecodeError([`the body is ${Array.isArray(value) ? "an array" : `a ${typeof value}`}, not an object`]);
  }
  const known = Object.keys((schema as unknown as { properties: Record<string, unknown> }).properties);
  const body: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value ?? {})) {
    if (member === null) continue;
    const name = known.find((candidate) => candidate === key.toLowerCase());
    if (name) body[name] = member;
  }
  const errors = Value.Errors(schema, body);
  if (errors.length > 0) {
    const problems = errors.map(({ instancePath, message }) => `${instancePath || "body"} ${message}`);
    const isMissing = errors.every(({ keyword }) => ["required", "minLength", "minItems"].includes(keyword));
    throw new DecodeError(problems, { isMissing });
  }
  return body;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DecodeError([text.trim() === "" ? "the body is empty" : "the body is not JSON"]);
  }
}
