/** Where the programs and packages of peers are kept: below the user's folder of caches, one folder for what is pinned today. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** @param name Of the folder, before the digest of the files that decide what is in it. */
export async function findCacheFolder(name: string, sources: string, files: readonly string[]): Promise<string> {
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  return join(caches, "toolhive-tests", "peers", `${name}-${await digest(sources, files)}`);
}

export async function digest(sources: string, files: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(await readFile(join(sources, file)));
  return hash.digest("hex").slice(0, 12);
}

/** Makes a folder beside its place and moves it there whole; another run may have been faster. */
export async function fillFolder(folder: string, fill: (folder: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const made = await mkdtemp(`${folder}.`);
  try {
    await fill(made);
    await rename(made, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}
