/** What every bundle of thv has in common, whether it is split into chunks or one file. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { EXTERNAL } from "./external.mjs";
import { joinStartChunks } from "./join-start.mjs";

export const PACKAGE_ROOT = fileURLToPath(new URL(".", import.meta.url));

/** The documentation in one file, which the build of the site writes. */
export const DOCS_PACK = fileURLToPath(new URL("../../website/dist/docs.pack", import.meta.url));

/** Optional dependencies of dependencies for functions that nothing here calls. Their tables would be a sixth of the program. */
export const UNUSED = ["iconv-lite"];

/** Answers from git, or a fallback where the sources are not a checkout. @param {string[]} args */
export function askGit(...args) {
  try {
    const options = { cwd: PACKAGE_ROOT, encoding: /** @type {const} */ ("utf8") };
    return execFileSync("git", args, { ...options, stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "unknown";
  }
}

/**
 * @param {string | undefined} given Without a `v`. Default: that of the root package.json.
 * @returns {string}
 * @throws {Error} When it is none.
 */
export function readVersion(given) {
  const version = given ?? JSON.parse(readFileSync(`${PACKAGE_ROOT}/../../package.json`, "utf8")).version;
  if (!/^\d{1,9}\.\d{1,9}\.\d{1,9}(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/.test(version)) {
    throw new Error(`--version must be a version such as 0.3.0, not "${version}".`);
  }
  return version;
}

/**
 * The Kubernetes library generates a model of every object, 15 MB of JavaScript in 800 files. Its configuration reads an index of
 * them all for two functions; here it reads those two, so that the bundler opens none of the models.
 *
 * @type {import("esbuild").Plugin}
 */
const leaveOutKubernetesModels = {
  name: "leave-out-kubernetes-models",
  setup(building) {
    const NAMESPACE = "kubernetes-configuration";
    building.onResolve({ filter: /^\.\/gen\/index\.js$/ }, ({ path, importer, resolveDir }) =>
      /[\\/]client-node[\\/]dist[\\/]config\.js$/.test(importer)
        ? { path, namespace: NAMESPACE, pluginData: resolveDir }
        : undefined,
    );
    building.onLoad({ filter: /^/, namespace: NAMESPACE }, ({ pluginData }) => ({
      contents:
        'export { createConfiguration } from "./gen/configuration.js"; export { ServerConfiguration } from "./gen/servers.js";',
      resolveDir: pluginData,
    }));
  },
};

/** What V8 cannot hold in one byte. */
const WIDE = /[^\0-\xff]/g;

/**
 * V8 holds a file in two bytes a character as soon as one of them does not fit into one. esbuild escapes such characters in strings
 * but not in regular expressions, so that a single one of those would double what the process holds of a file.
 *
 * @type {import("esbuild").Plugin}
 */
const escapeWideCharacters = {
  name: "escape-wide-characters",
  setup(building) {
    building.onEnd(({ metafile }) => {
      for (const output of Object.keys(metafile?.outputs ?? {})) {
        const file = resolve(PACKAGE_ROOT, output);
        if (!existsSync(file)) continue;
        const text = readFileSync(file, "utf8");
        const escaped = escapeWide(text);
        if (escaped !== text) writeFileSync(file, escaped);
      }
    });
  },
};

/** @param {string} script @returns {string} The same script in one byte a character. */
export function escapeWide(script) {
  const raw = /String\.raw`[^`]*[^\0-\xff][^`]*`/.exec(script)?.[0];
  if (raw)
    throw new Error(`${raw.slice(0, 100)} has a character that cannot be escaped there. Write it as a common string.`);
  return script.replace(WIDE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * @param {string} version
 * @returns {Promise<import("esbuild").BuildOptions & { metafile: true }>} Without entry, output and format.
 */
export async function describeBundle(version) {
  return {
    absWorkingDir: PACKAGE_ROOT,
    metafile: true,
    bundle: true,
    platform: "node",
    // jsonc-parser's "main" loads its parts in a way that no bundler can follow.
    mainFields: ["module", "main"],
    target: "node20.19",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    external: UNUSED,
    plugins: [leaveOutKubernetesModels, escapeWideCharacters],
    // Old parts of that library ask for Node.js's own, which warns on standard error that it will go.
    alias: { punycode: "punycode/" },
    define: {
      THV_VERSION: JSON.stringify(`v${version}`),
      THV_SIDECAR: JSON.stringify(await bundleSidecar()),
      THV_COMMIT: JSON.stringify(askGit("rev-parse", "--short=12", "HEAD")),
      THV_BUILD_DATE: JSON.stringify(askGit("log", "-1", "--format=%cI")),
    },
  };
}

/**
 * Writes `thv.mjs` and its chunks: a start loads the entry, one file that all commands share, and what its own command needs.
 *
 * @param {string} dist The folder of the output.
 * @param {string} version Without a `v`.
 * @returns {Promise<import("esbuild").Metafile>} What went into it; `joinStartChunks` has joined some of its outputs.
 */
export async function bundleProgram(dist, version) {
  const options = {
    ...(await describeBundle(version)),
    entryPoints: { thv: "src/thv.ts" },
    outdir: dist,
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    format: /** @type {const} */ ("esm"),
    external: [...EXTERNAL, ...UNUSED],
    // Dependencies in CommonJS call `require`, which ES modules do not have.
    banner: { js: "import{createRequire as thvRequire}from'node:module';const require=thvRequire(import.meta.url);" },
  };
  const { metafile } = await build(options);
  await joinStartChunks(dist, { ...options, absWorkingDir: PACKAGE_ROOT }, metafile);
  return metafile;
}

/** Runs in a container, so it is one file; thv holds it as text and builds the image from it. */
async function bundleSidecar() {
  const { outputFiles } = await build({
    absWorkingDir: PACKAGE_ROOT,
    entryPoints: ["../sidecar/src/main.ts"],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20.19",
    minify: true,
  });
  return outputFiles[0]?.text ?? "";
}
