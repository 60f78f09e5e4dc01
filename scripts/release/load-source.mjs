/** Loads a file of the packages into a script: Node.js 20 cannot run TypeScript. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const PACKAGES = new URL("../../packages/", import.meta.url);

/**
 * @param {string} file Below `packages`.
 * @returns {any} What it exports.
 */
export function loadSource(file) {
  const entry = fileURLToPath(new URL(file, PACKAGES));
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    write: false,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20.19",
  });
  const module = { exports: {} };
  new Function("module", "require", outputFiles[0]?.text ?? "")(module, createRequire(entry));
  return module.exports;
}
