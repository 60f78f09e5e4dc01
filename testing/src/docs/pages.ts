/** The documentation pages of this repository. */
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { repositoryRoot } from "../repository.ts";

export const PAGES_FOLDER = join(repositoryRoot(), "website/docs");

/** Paths relative to {@link PAGES_FOLDER}, sorted. */
export async function listPages(folder = PAGES_FOLDER): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.mdx?$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
