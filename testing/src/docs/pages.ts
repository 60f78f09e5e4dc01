/** The pages of this repository whose commands are run: the documentation, and the texts that a newcomer reads first. */
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { findRepositoryRoot } from "../repository.ts";

export const ROOT = findRepositoryRoot();

/** What the generated pages of the error catalogue show, with what has to be there before. */
export const ERROR_EXAMPLES = "website/reference/data/error-examples.md";

/** Its servers are elsewhere: it needs them, and no engine. */
export const REMOTE_PAGE = "website/docs/toolhive/guides-cli/remote-servers.mdx";

/** Made by the site's build; what its pages show is run from where it is written. */
const GENERATED = "website/docs/toolhive/reference/";

/** Paths relative to the repository, sorted within each folder. @param root Of the repository. */
export async function listPages(root = ROOT): Promise<string[]> {
  const entries = await readdir(join(root, "website/docs"), { recursive: true, withFileTypes: true });
  const pages = entries
    .filter((entry) => entry.isFile() && /\.mdx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((page) => !page.startsWith(GENERATED))
    .sort();
  return ["README.md", "CONTRIBUTING.md", ERROR_EXAMPLES, ...pages];
}
