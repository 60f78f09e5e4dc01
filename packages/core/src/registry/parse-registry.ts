/** Parses a registry file, or reports all its problems at once. */

import { parseImageReference } from "../images/image-reference.ts";
import { listProblems } from "../schemas/schema-problems.ts";
import { messageOf, ThvError } from "../support/errors.ts";
import { type Registry, type RegistryFile, RegistryFileSchema } from "./registry-schema.ts";

/** Contradictions that are told at most, as of other mistakes. */
const MAX_PROBLEMS = 200;

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
  const problems = listRegistryProblems(value);
  if (problems.length > 0) throw createRegistryInvalidError(from, problems);
  return toRegistry(value as RegistryFile);
}

/** Every problem as a sentence with its path; `[]` for a sound registry. */
export function listRegistryProblems(value: unknown): string[] {
  const problems = listProblems(RegistryFileSchema, value);
  return problems.length > 0 ? problems : listContradictions(value as RegistryFile).slice(0, MAX_PROBLEMS);
}

/** Rules that a schema cannot express. */
function listContradictions({ servers }: RegistryFile): string[] {
  return Object.entries(servers).flatMap(([name, server]) => {
    const problems: string[] = [];
    if (!isImageReference(server.image)) {
      problems.push(`servers.${name}.image is "${server.image}", which is not an image reference`);
    }
    if (server.transport === "stdio" && server.target_port !== undefined) {
      problems.push(`servers.${name}.target_port is set, but a stdio server has no port`);
    }
    for (const repeated of repeatedIn((server.env_vars ?? []).map((variable) => variable.name))) {
      problems.push(`servers.${name}.env_vars names "${repeated}" more than once`);
    }
    return problems;
  });
}

function repeatedIn(names: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(names.filter((name) => seen.size === seen.add(name).size));
}

function isImageReference(text: string): boolean {
  try {
    parseImageReference(text);
    return true;
  } catch {
    // Its message says how to write one, which the list of problems has no room for.
    return false;
  }
}

function toRegistry({ version, last_updated, servers }: RegistryFile): Registry {
  return {
    version,
    lastUpdated: last_updated,
    servers: Object.entries(servers)
      .map(([name, server]) => ({ ...server, name }))
      .sort((left, right) => (left.name < right.name ? -1 : 1)),
  };
}

function createRegistryInvalidError(from: string, problems: readonly string[], cause?: unknown): ThvError {
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  return new ThvError("REGISTRY_INVALID", `The registry ${from} has ${count}: ${problems.join("; ")}.`, {
    hint: "Correct these members, or go back to the built-in registry: thv config unset-registry-url",
    cause,
  });
}
