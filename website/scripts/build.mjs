/**
 * Builds the whole site: reference pages from the tool, Docusaurus, then policy, compression, manifest and search index, then the server's bundle.
 * Plain JavaScript, because it is what starts the TypeScript.
 */
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const require = createRequire(import.meta.url);
const websiteDir = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");

/**
 * The pages are made from the definitions of the commands. What carries a command out is behind a dynamic import that
 * never runs here, and stays out of the bundle with its native parts.
 */
const withoutCommandHandlers = {
  name: "without-command-handlers",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^\./ }, ({ kind, importer }) =>
      kind === "dynamic-import" && importer.includes(`${path.sep}cli${path.sep}src${path.sep}`)
        ? { external: true }
        : undefined,
    );
  },
};

/** Bundles one entry to `dist/NAME.mjs`; bundled CommonJS packages may call `require`. */
async function bundle(entry, name, plugins = []) {
  await build({
    entryPoints: [path.join(websiteDir, entry)],
    outfile: path.join(websiteDir, `dist/${name}.mjs`),
    bundle: true,
    plugins,
    platform: "node",
    target: "node20.19",
    format: "esm",
    // Native parts of the tool are never loaded by what is built here.
    external: ["@napi-rs/*"],
    legalComments: "none",
    logLevel: "warning",
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  });
}

function run(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: websiteDir,
      stdio: "inherit",
      env: { ...process.env, NO_UPDATE_NOTIFIER: "1", NODE_ENV: "production" },
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${path.basename(args[0])} ended with ${signal ?? `exit code ${code}`}.`));
    });
  });
}

await bundle("reference/main.ts", "reference", [withoutCommandHandlers]);
await run(path.join(websiteDir, "dist/reference.mjs"));
await rm(path.join(websiteDir, "build"), { recursive: true, force: true });
await Promise.all([
  run(require.resolve("@docusaurus/core/bin/docusaurus.mjs"), "build", "--out-dir", "build"),
  bundle("build-steps/main.ts", "build-steps"),
  bundle("server/main.ts", "server"),
]);
await run(path.join(websiteDir, "dist/build-steps.mjs"));
