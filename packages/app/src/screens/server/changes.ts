/** What is different between two requests. */
import type { CreateRequest } from "../pasted/source.ts";

export interface Change {
  readonly member: string;
  /** JSON; `undefined` where it is not set. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** @returns The members that differ, in the order of their names. Empty lists and objects count as not set. */
export function listChanges(before: CreateRequest, after: CreateRequest): Change[] {
  const [old, next] = [toTexts(before), toTexts(after)];
  const members = [...new Set([...old.keys(), ...next.keys()])].sort();
  return members
    .map((member) => ({ member, before: old.get(member), after: next.get(member) }))
    .filter((each) => each.before !== each.after);
}

function toTexts(request: CreateRequest): Map<string, string> {
  const entries = Object.entries(request).map(([member, value]) => [member, toText(value)] as const);
  return new Map(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function toText(value: unknown): string | undefined {
  if (value === undefined || value === null || value === "" || value === false) return undefined;
  if (typeof value === "object" && Object.keys(value).length === 0) return undefined;
  if (typeof value === "string") return value;
  return Array.isArray(value) && value.every((each) => typeof each === "string")
    ? value.join("\n")
    : JSON.stringify(sortMembers(value), null, 1);
}

/** The same object has the same text, whatever the order of its members. */
function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, member]) => [name, sortMembers(member)]),
  );
}
