/**
 * Bundles thv into one CommonJS module, which is what Node.js starts from inside an executable, with the parts that are no
 * JavaScript as assets beside it.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describeBundle, PACKAGE_ROOT } from "@toolhive/cli/bundle";
import { build } from "esbuild";

/** Names of the assets. */
export const POLICY_ENGINE = "cedar.wasm";
export const KEYRING = "keyring.node";
export const APP = "app.pack";
export const DOCS = "docs.pack";

const READS_FILE = /const wasmPath = .*;\s*const wasmBytes = .*;/;

/**
 * @param {string} version
 * @returns {Promise<string>} The module's text.
 */
export async function bundleSingleFile(version) {
  const shared = await describeBundle(version);
  const { outputFiles } = await build({
    ...shared,
    entryPoints: ["src/thv.ts"],
    // A fifth of the text: it counts for the download and for the start.
    minifyIdentifiers: true,
    // The Node.js that contains it.
    target: "node22",
    write: false,
    format: "cjs",
    // Inside an executable there is no file that a module could be named by.
    define: { ...shared.define, "import.meta.url": "undefined" },
    plugins: [{ name: "assets", setup: readAssets }],
  });
  return outputFiles?.[0]?.text ?? "";
}

/** @param {import("esbuild").PluginBuild} esbuild */
function readAssets(esbuild) {
  esbuild.onLoad({ filter: /authz[/\\]cedar[/\\]load-engine\.ts$/ }, ({ path }) => {
    const engine = createRequire(path).resolve("@cedar-policy/cedar-wasm/nodejs");
    const text = readFileSync(engine, "utf8");
    if (!READS_FILE.test(text)) throw new Error(`${engine} reads its binary in another way now.`);
    const contents = `let binary;
      export function loadEngine() {
        binary ??= require("node:zlib").brotliDecompressSync(require("node:sea").getRawAsset(${JSON.stringify(POLICY_ENGINE)}));
        const exports = {};
        ((exports, wasmBytes) => {${text.replace(READS_FILE, "")}})(exports, binary);
        return exports;
      }`;
    return { contents, loader: "js" };
  });
  esbuild.onResolve({ filter: /^@napi-rs\/keyring$/ }, () => ({
    path: join(PACKAGE_ROOT, "src/installation/native-keyring.ts"),
  }));
}

/** @param {string} root The repository. @returns {string} The files of the browser's application. */
export function findApp(root) {
  return join(root, "packages/app/dist/app.pack");
}

/** @param {string} root The repository. @returns {string} The policy engine's binary, which is the same for all systems. */
export function findPolicyEngine(root) {
  return join(root, "node_modules/@cedar-policy/cedar-wasm/nodejs/cedar_wasm_bg.wasm");
}
