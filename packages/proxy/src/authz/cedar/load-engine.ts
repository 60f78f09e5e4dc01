/**
 * Loads an engine with a memory of its own. The executable that is one file has another form of this module, which reads
 * the engine's binary from inside it.
 */
import { createRequire } from "node:module";

export type Engine = typeof import("@cedar-policy/cedar-wasm/nodejs");

const ENGINE = "@cedar-policy/cedar-wasm/nodejs";

/** @returns Never one that was returned before. */
export function loadEngine(): Engine {
  // What requires a module keeps it for ever, so that each engine is required by another one.
  const require = createRequire(import.meta.url);
  const path = require.resolve(ENGINE);
  delete require.cache[path];
  try {
    return require(ENGINE);
  } finally {
    delete require.cache[path];
  }
}
