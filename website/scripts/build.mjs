/**
 * Builds the whole site: reference pages from the tool, Docusaurus, then policy, compression, manifest and search index, then the server's bundle.
 * All of it is made in a folder of its own and replaces the site before it at the end, so that this is served meanwhile, and
 * stays when a build fails.
 * Plain JavaScript, because it is what starts the TypeScript.
 */
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { putInPlace } from "./put-in-place.mjs";

const require = createRequire(import.meta.url);
const websiteDir = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const distDir = path.join(websiteDir, "dist");
/** What becomes the site. */
const nextDir = path.join(distDir, "next");

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

/** Bundles one entry; bundled CommonJS packages may call `require`. */
async function bundle(entry, outfile, plugins = []) {
  await build({
    entryPoints: [path.join(websiteDir, entry)],
    outfile,
    bundle: true,
    plugins,
    platform: "node",
    // jsonc-parser's "main" loads its parts in a way that no bundler can follow.
    mainFields: ["module", "main"],
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

const reference = path.join(distDir, "reference.mjs");
const buildSteps = path.join(distDir, "build-steps.mjs");
await rm(nextDir, { recursive: true, force: true });
await bundle("reference/main.ts", reference, [withoutCommandHandlers]);
await run(reference);
await Promise.all([
  run(require.resolve("@docusaurus/core/bin/docusaurus.mjs"), "build", "--out-dir", path.join(nextDir, "build")),
  bundle("build-steps/main.ts", buildSteps),
  bundle("server/main.ts", path.join(nextDir, "server.mjs")),
]);
await run(buildSteps, nextDir);
await putInPlace(nextDir, websiteDir);
