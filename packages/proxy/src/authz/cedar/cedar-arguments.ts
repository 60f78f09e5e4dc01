/** Finds the arguments that policies read. */
import type { PolicyToJsonAnswer } from "@cedar-policy/cedar-wasm/nodejs";

const PREFIX = "arg_";
const PRESENT = "_present";

/** @param policies Valid ones, in Cedar's JSON form. @returns Names of arguments, as the policies write them. */
export function findArguments(policies: readonly PolicyToJsonAnswer[]): string[] {
  const names = new Set<string>();
  for (const policy of policies) {
    if (policy.type === "failure") throw new Error(`a valid policy has no tree: ${JSON.stringify(policy.errors)}`);
    collect(policy.json, names);
  }
  return [...names];
}

/** Attributes occur in many places of a policy's tree, so every text that could be one counts. */
function collect(value: unknown, names: Set<string>): void {
  if (typeof value === "string") add(value, names);
  else if (Array.isArray(value)) for (const item of value) collect(item, names);
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      add(key, names);
      collect(inner, names);
    }
  }
}

function add(text: string, names: Set<string>): void {
  if (!text.startsWith(PREFIX)) return;
  const name = text.slice(PREFIX.length);
  names.add(name);
  if (name.endsWith(PRESENT)) names.add(name.slice(0, -PRESENT.length));
}
