/** Completions for shells, which every package holds. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programFolder } from "./program.mjs";

/** The shells, with the name of the file that each searches. */
export const COMPLETIONS = { bash: "thv", zsh: "_thv", fish: "thv.fish" };

/** @typedef {keyof typeof COMPLETIONS} Shell */

/**
 * @param {import("./context.mjs").ReleaseContext} release Whose program was built.
 * @param {Shell} shell
 * @returns {Promise<string>}
 */
export async function renderCompletion(release, shell) {
  return `${await release.run(process.execPath, [join(programFolder(release), "thv.mjs"), "completion", shell])}\n`;
}

/**
 * @param {import("./context.mjs").ReleaseContext} release
 * @param {string} folder It is made; one file for each shell is put into it.
 */
export async function writeCompletions(release, folder) {
  mkdirSync(folder, { recursive: true });
  for (const [shell, file] of Object.entries(COMPLETIONS))
    writeFileSync(join(folder, file), await renderCompletion(release, /** @type {Shell} */ (shell)));
}
