/** Short names for values: equal values have equal digests, whatever the order of their members. */
import { createHash } from "node:crypto";
import { isRecord } from "@toolhive/http/values";

const LENGTH = 16;

export function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value, sortMembers)).digest("hex").slice(0, LENGTH);
}

function sortMembers(_name: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
