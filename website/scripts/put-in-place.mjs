/** Puts what a build has made where the server, the tests and `thv` read it, only after all of it is made. */
import { access, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";

/** Written by the last step of a build, moved last: the server answers from it. */
const MANIFEST = "site-manifest.json";

/**
 * @param {string} made The folder that the build has filled: `build` is the site, everything else goes to `dist`. It is removed
 * afterwards.
 * @param {string} websiteDir
 */
export async function putInPlace(made, websiteDir) {
  const siteDir = path.join(websiteDir, "build");
  const distDir = path.join(websiteDir, "dist");
  const previous = path.join(made, "previous");
  await access(path.join(made, "build"));
  await mkdir(distDir, { recursive: true });
  await rename(siteDir, previous).catch((error) => {
    if (error.code !== "ENOENT") throw error; // the first build of this checkout
  });
  await rename(path.join(made, "build"), siteDir);
  const names = (await readdir(made)).filter((name) => name !== "previous" && name !== MANIFEST);
  for (const name of [...names, MANIFEST]) {
    const from = path.join(made, name);
    const to = path.join(distDir, name);
    // A folder cannot be renamed to one that holds files; a file replaces the one before it without a gap.
    if ((await stat(from)).isDirectory()) await rm(to, { recursive: true, force: true });
    await rename(from, to);
  }
  await rm(made, { recursive: true });
}
