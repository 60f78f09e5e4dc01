/** Where this repository's files are, also when the module was bundled into `.cache` or a `dist` folder. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

function isRoot(directory: string): boolean {
  const manifest = join(directory, "package.json");
  if (!existsSync(manifest)) return false;
  const parsed: unknown = JSON.parse(readFileSync(manifest, "utf8"));
  return typeof parsed === "object" && parsed !== null && "workspaces" in parsed;
}

/** The nearest folder above this module that declares the workspaces. */
export function findRepositoryRoot(from: string = fileURLToPath(import.meta.url)): string {
  let directory = dirname(from);
  while (!isRoot(directory)) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error(`No folder above ${from} declares npm workspaces.`);
    directory = parent;
  }
  return directory;
}
