/** The pages of this repository whose commands are run: the documentation, and the texts that a newcomer reads first. */
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { repositoryRoot } from "../repository.ts";

export const ROOT = repositoryRoot();

/** What the generated pages of the error catalogue show. */
export const ERROR_EXAMPLES = "website/reference/data/error-examples.md";

/** Paths relative to {@link ROOT}, sorted within each folder. */
export async function listPages(): Promise<string[]> {
  const entries = await readdir(join(ROOT, "website/docs"), { recursive: true, withFileTypes: true });
  const pages = entries
    .filter((entry) => entry.isFile() && /\.mdx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
  return ["README.md", "CONTRIBUTING.md", ERROR_EXAMPLES, ...pages];
}
