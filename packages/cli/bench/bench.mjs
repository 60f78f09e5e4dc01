/** `npm run bench`: bundles each benchmark and runs it beside engines, one after the other; a name chooses one of them. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Runs a command in the network of engines. */
const engines = fileURLToPath(new URL("../../../testing/engines.mjs", import.meta.url));
const BENCHMARKS = ["first-light", "api-load", "recovery"];

const [chosen] = process.argv.slice(2);
let code = 0;
for (const name of BENCHMARKS.filter((each) => chosen === undefined || each === chosen)) {
  const outfile = fileURLToPath(new URL(`../../../.cache/bench/${name}.mjs`, import.meta.url));
  await build({
    entryPoints: [fileURLToPath(new URL(`${name}.ts`, import.meta.url))],
    bundle: true,
    external: ["@modelcontextprotocol/*", "vitest", "esbuild"],
    platform: "node",
    format: "esm",
    target: "node20.19",
    logLevel: "warning",
    outfile,
  });
  const { status } = spawnSync(process.execPath, [engines, process.execPath, outfile], { stdio: "inherit" });
  code ||= status ?? 1;
}
process.exitCode = code;
