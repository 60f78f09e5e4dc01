/** What is wrong with a registry in the form of our map, all of it at once. */
import { parseImageReference } from "../images/image-reference.ts";
import { parsePackageTarget } from "../images/package-target.ts";
import { listProblems } from "../schemas/schema-problems.ts";
import { listSentences } from "../support/located-problem.ts";
import { type RegistryFile, RegistryFileSchema } from "./registry-schema.ts";

/** The reader reports at most this many contradictions, as it does for other mistakes. */
const MAX_PROBLEMS = 200;

/** Every problem as a sentence with its path; `[]` for a sound registry. */
export function listRegistryProblems(value: unknown): string[] {
  const problems = listSentences(listProblems(RegistryFileSchema, value));
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
    // A folder is on the machine of the registry's author.
    if (parsePackageTarget(text)?.kind !== "package") parseImageReference(text);
    return true;
  } catch {
    // Its message says how to write one, which the list of problems has no room for.
    return false;
  }
}
