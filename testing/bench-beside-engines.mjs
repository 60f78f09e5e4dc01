/** Bundles benchmarks that are written in TypeScript, and runs them beside engines, one after the other. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Runs a command in the network of engines. */
const ENGINES = fileURLToPath(new URL("engines.mjs", import.meta.url));

/**
 * @param {string | URL} folder Where `NAME.ts` of each lies, with a slash at the end.
 * @param {readonly string[]} names One of them is chosen by the command's first argument.
 * @param {readonly string[]} [external] Packages that cannot be bundled.
 */
export async function benchBesideEngines(folder, names, external = []) {
  const [chosen] = process.argv.slice(2);
  let code = 0;
  for (const name of names.filter((each) => chosen === undefined || each === chosen)) {
    const outfile = fileURLToPath(new URL(`../.cache/bench/${name}.mjs`, import.meta.url));
    await build({
      entryPoints: [fileURLToPath(new URL(`${name}.ts`, folder))],
      bundle: true,
      external: ["@modelcontextprotocol/*", "vitest", "esbuild", ...external],
      platform: "node",
      format: "esm",
      target: "node20.19",
      logLevel: "warning",
      outfile,
    });
    const { status } = spawnSync(process.execPath, [ENGINES, process.execPath, outfile], { stdio: "inherit" });
    code ||= status ?? 1;
  }
  process.exitCode = code;
}
