/**
 * Real engines with the test images in a terminal: `npm run engines -w @toolhive/testing`. Prints how to reach them
 * and keeps them until Ctrl-C.
 */
import { build } from "esbuild";

const bundle = new URL("../.cache/testing/start-engines.mjs", import.meta.url);
await build({
  entryPoints: [new URL("src/engines/start-engines.ts", import.meta.url).pathname],
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20.19",
  logLevel: "error",
  outfile: bundle.pathname,
});
const { startEngines } = await import(bundle.href);

const begin = performance.now();
const started = await startEngines();
console.log(
  `Ready after ${((performance.now() - begin) / 1000).toFixed(1)} s. Ctrl-C ends them. In another terminal:\n`,
);
for (const { kind, host } of started.engines) console.log(`  export DOCKER_HOST=${host}  # ${kind}`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => started.close());
