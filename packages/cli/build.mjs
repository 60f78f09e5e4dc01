/**
 * Bundles thv: one small entry, and chunks that are loaded only by the commands that need them.
 *
 * | Option        | Default                       | Meaning                                      |
 * |---------------|-------------------------------|----------------------------------------------|
 * | `--version V` | that of the root package.json | The program's version, without a `v`.        |
 * | `--out DIR`   | `dist` beside this file       | The folder of the output; it is emptied first. |
 */
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { assertLicenses, findClosure, findPackages, formatNotices, narrowBom } from "../../scripts/lib/third-party.mjs";
import { EXTERNAL, isExternal } from "./external.mjs";

const root = fileURLToPath(new URL(".", import.meta.url));
const { values } = parseArgs({ options: { version: { type: "string" }, out: { type: "string", default: "dist" } } });
const version = values.version ?? JSON.parse(readFileSync(`${root}/../../package.json`, "utf8")).version;
if (!/^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(version)) {
  throw new Error(`--version must be a version such as 0.3.0, not "${version}".`);
}
const dist = resolve(root, values.out);

/** Answers from git, or a fallback where the sources are not a checkout. */
function git(...args) {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "unknown";
  }
}

/** Runs in a container, so it is one file; thv holds it as text and builds the image from it. */
const sidecar = await build({
  absWorkingDir: root,
  entryPoints: ["../sidecar/src/main.ts"],
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
  target: "node20.19",
  minifySyntax: true,
  minifyWhitespace: true,
});

rmSync(dist, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  metafile: true,
  entryPoints: { thv: "src/thv.ts" },
  outdir: dist,
  outExtension: { ".js": ".mjs" },
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  // jsonc-parser's "main" loads its parts in a way that no bundler can follow.
  mainFields: ["module", "main"],
  target: "node20.19",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  external: EXTERNAL,
  // Dependencies in CommonJS call `require`, which ES modules do not have.
  banner: { js: "import{createRequire as thvRequire}from'node:module';const require=thvRequire(import.meta.url);" },
  define: {
    THV_VERSION: JSON.stringify(`v${version}`),
    THV_SIDECAR: JSON.stringify(sidecar.outputFiles[0].text),
    THV_COMMIT: JSON.stringify(git("rev-parse", "--short=12", "HEAD")),
    THV_BUILD_DATE: JSON.stringify(git("log", "-1", "--format=%cI")),
  },
});
chmodSync(`${dist}/thv.mjs`, 0o755);

// The manual is made by the program's own data, in a process of its own.
const writer = `${dist}/man-writer.mjs`;
await build({
  absWorkingDir: root,
  entryPoints: ["src/man/main.ts"],
  outfile: writer,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  // What carries a command out is not needed to describe it.
  plugins: [
    {
      name: "without-handlers",
      setup(esbuild) {
        esbuild.onResolve({ filter: /^\./ }, ({ kind }) =>
          kind === "dynamic-import" ? { external: true } : undefined,
        );
      },
    },
  ],
});
execFileSync(process.execPath, [writer, `${dist}/man`, `v${version}`, git("log", "-1", "--format=%cs")]);
rmSync(writer);

const loaded = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter((each) => each.external));
const names = loaded.map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
const packages = [
  ...findPackages(Object.keys(metafile.inputs).map((file) => resolve(root, file))),
  ...findClosure(root, [...new Set(names)].filter(isExternal)),
];
const shipped = [...new Map(packages.map((each) => [each.directory, each])).values()];
assertLicenses(shipped);
writeFileSync(`${dist}/THIRD-PARTY-NOTICES.txt`, formatNotices("thv", shipped));
const bom = JSON.parse(
  execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], {
    cwd: `${root}/../..`,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32", // npm is a batch file there
  }),
);
writeFileSync(
  `${dist}/sbom.cdx.json`,
  `${JSON.stringify(narrowBom(bom, { name: "thv", version, packages: shipped }), null, 2)}\n`,
);
