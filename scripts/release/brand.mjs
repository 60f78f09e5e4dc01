/** The product's identity, read from the one file that has it. */

import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const FILE = fileURLToPath(new URL("../../packages/core/src/support/brand.ts", import.meta.url));

/** @returns {typeof import("../../packages/core/src/support/brand.ts").BRAND} */
export function readBrand() {
  const { outputFiles } = buildSync({ entryPoints: [FILE], write: false, bundle: true, format: "cjs" });
  const module = { exports: /** @type {any} */ ({}) };
  new Function("module", outputFiles[0]?.text ?? "")(module);
  return module.exports.BRAND;
}
