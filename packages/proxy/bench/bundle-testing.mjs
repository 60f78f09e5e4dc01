import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Engines and throwaway homes of the tests, which are TypeScript. @returns {Promise<typeof import("@toolhive/testing")>} */
export async function bundleTesting() {
  const outfile = fileURLToPath(new URL("../../../.cache/bench-proxy/testing.mjs", import.meta.url));
  const entry = fileURLToPath(import.meta.resolve("@toolhive/testing"));
  const options = { bundle: true, platform: "node", format: "esm", target: "node20.19", logLevel: "warning" };
  await build({ ...options, entryPoints: [entry], external: ["vitest", "esbuild"], outfile });
  return await import(outfile);
}
