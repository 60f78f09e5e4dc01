/** Builds what changed: each target is kept with a digest of what it was made from. */

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandFailure } from "./errors.mjs";
import { dependencyClosure, digestFiles, listSources, listWorkspaces } from "./inputs.mjs";

/** @typedef {{ title: string, workspace: string, outputs: readonly string[], stamp: string, hasCommit?: boolean }} Target */

/** @type {Readonly<Record<"cli" | "website", Target>>} */
export const TARGETS = {
  cli: {
    title: "Build thv",
    workspace: "@toolhive/cli",
    outputs: ["packages/cli/dist/thv.mjs"],
    // Inside what the build empties first, so that a build by hand is not taken for one of ours.
    stamp: "packages/cli/dist/.inputs",
    hasCommit: true,
  },
  website: {
    title: "Build the site and its search index",
    workspace: "@toolhive/website",
    outputs: ["website/build/index.html", "website/dist/server.mjs", "website/dist/search-index.bin"],
    stamp: "website/build/.inputs",
  },
};

/**
 * @param {string} root
 * @param {Target} target
 */
export function digestInputs(root, { workspace, hasCommit = false }) {
  const closure = dependencyClosure(listWorkspaces(root), workspace);
  const files = closure.flatMap(({ directory }) => listSources(join(root, directory)));
  files.push(...["package.json", "package-lock.json", "tsconfig.base.json"].map((file) => join(root, file)));
  return digestFiles(root, files, hasCommit ? [currentCommit(root)] : []);
}

/** @param {string} root */
function currentCommit(root) {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return "not a checkout"; // an unpacked archive of the sources has no commit to show
  }
}

/** After the digest, in the stamp of a build whose compressed files are larger than they have to be. */
export const LIGHT = " light";

/**
 * @param {string} root
 * @param {Target} target
 * @param {{ mayBeLight?: boolean }} [options] `mayBeLight`: whether a build for this machine only is current, too. Default: true.
 * @returns {"current" | "outdated" | "missing"} `outdated`: whole, and made from other sources than those of now.
 */
export function findBuild(root, target, { mayBeLight = true } = {}) {
  if (!target.outputs.every((output) => existsSync(join(root, output)))) return "missing";
  const stamp = join(root, target.stamp);
  if (!existsSync(stamp)) return "outdated";
  const digest = digestInputs(root, target);
  const found = readFileSync(stamp, "utf8");
  return found === digest || (mayBeLight && found === digest + LIGHT) ? "current" : "outdated";
}

/**
 * @param {string} root
 * @param {Target} target
 * @param {import("./run-command.mjs").Context} context
 * @param {{ isLight?: boolean, mayBeLight?: boolean }} [options] `isLight`: what has to be built is for readers on this machine,
 *   who need no strong compression.
 */
export async function ensureBuilt(root, target, { children, terminal }, { isLight = false, mayBeLight = true } = {}) {
  if (findBuild(root, target, { mayBeLight }) === "current") return;
  const stamp = join(root, target.stamp);
  const digest = digestInputs(root, target);
  rmSync(stamp, { force: true });
  await terminal.step(target.title, async (progress) => {
    const { code, excerpt } = await children.run(
      target.title,
      "npm",
      ["run", "--silent", "build", "--workspace", target.workspace],
      {
        cwd: root,
        env: { ...process.env, FORCE_COLOR: "0", ...(isLight && { TOOLHIVE_SITE_COMPRESSION: "light" }) },
        onLine: (line) => progress(pickWords(line)),
      },
    );
    if (code !== 0) {
      throw new CommandFailure(`The build of ${target.workspace} ended with code ${code}:\n${excerpt}`, {
        hint: `See all of it: npm run build -w ${target.workspace}`,
      });
    }
    writeFileSync(stamp, isLight ? digest + LIGHT : digest);
  });
}

/** Lets `npx thv` find the bundle, which was not there yet when npm linked the programs of the workspaces. */
export function linkThv(/** @type {string} */ root) {
  const link = join(root, "node_modules/.bin/thv");
  chmodSync(join(root, "packages/cli/dist/thv.mjs"), 0o755);
  if (existsSync(link)) return;
  mkdirSync(join(root, "node_modules/.bin"), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync("../../packages/cli/dist/thv.mjs", link);
}

/** The words of a line of build output, without decoration and short enough for a progress line. */
export function pickWords(/** @type {string} */ line) {
  const words = line
    .replace(/[^\p{L}\p{N}\p{P} ]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  return words.length > 60 ? `${words.slice(0, 59)}…` : words;
}
