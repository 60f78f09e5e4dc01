/** The product's identity, read from the one file that has it. */
import { loadSource } from "./load-source.mjs";

/** @returns {typeof import("../../packages/core/src/support/brand.ts").BRAND} */
export function readBrand() {
  return loadSource("core/src/support/brand.ts").BRAND;
}
