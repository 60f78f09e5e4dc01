/**
 * Parses a registry file. A damaged entry is omitted with its reason; a file without a valid entry is refused with all its
 * problems.
 */
import { describeJsonFault } from "../files/json-fault.ts";
import { ThvError } from "../support/errors.ts";
import { listRegistryProblems } from "./map-problems.ts";
import { readMap } from "./read-map.ts";
import { findUpstream, readUpstream } from "./read-upstream.ts";
import type { Registry } from "./registry-schema.ts";

/** The reader reports at most this many problems of a registry without a valid entry. */
const MAX_LISTED = 200;

/**
 * @param from Where the text is from, for people: a path or an address.
 * @throws {ThvError} `REGISTRY_INVALID` whose message lists every problem.
 */
export function parseRegistry(text: string, from: string): Registry {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw createRegistryInvalidError(from, [`the file is not JSON: ${describeJsonFault(text)}`], error);
  }
  return readRegistry(value, from);
}

/** As `parseRegistry`, of what the text says. @throws {ThvError} `REGISTRY_INVALID` whose message lists every problem. */
export function readRegistry(value: unknown, from: string): Registry {
  const upstream = findUpstream(value);
  if (!upstream) {
    const registry = typeof value === "object" && value !== null ? readMap(value) : undefined;
    if (!registry) throw createRegistryInvalidError(from, listRegistryProblems(value));
    return registry;
  }
  const registry = readUpstream(upstream);
  const { servers, remoteServers, groups, skipped } = registry;
  if (skipped.length > 0 && servers.length + remoteServers.length + groups.length === 0) {
    throw createRegistryInvalidError(
      from,
      skipped.slice(0, MAX_LISTED).map(({ name, reason }) => `${name}: ${reason}`),
    );
  }
  return registry;
}

function createRegistryInvalidError(from: string, problems: readonly string[], cause?: unknown): ThvError {
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  return new ThvError("REGISTRY_INVALID", `The registry ${from} has ${count}: ${problems.join("; ")}.`, {
    hint: "Correct these members, or go back to the built-in registry: thv config unset-registry-url",
    cause,
  });
}
