/** Parses a registry file. An entry that is damaged is left out with its reason; a file without a sound one is refused with all its problems. */
import { messageOf, ThvError } from "../support/errors.ts";
import { listRegistryProblems } from "./map-problems.ts";
import { readMap } from "./read-map.ts";
import type { Registry } from "./registry-schema.ts";

/**
 * @param from Where the text is from, for people: a path or an address.
 * @throws {ThvError} `REGISTRY_INVALID` whose message lists every problem.
 */
export function parseRegistry(text: string, from: string): Registry {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw createRegistryInvalidError(from, [`the file is not JSON: ${messageOf(error)}`], error);
  }
  const registry = typeof value === "object" && value !== null ? readMap(value) : undefined;
  if (!registry) throw createRegistryInvalidError(from, listRegistryProblems(value));
  return registry;
}

function createRegistryInvalidError(from: string, problems: readonly string[], cause?: unknown): ThvError {
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  return new ThvError("REGISTRY_INVALID", `The registry ${from} has ${count}: ${problems.join("; ")}.`, {
    hint: "Correct these members, or go back to the built-in registry: thv config unset-registry-url",
    cause,
  });
}
