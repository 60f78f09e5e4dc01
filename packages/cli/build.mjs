/**
 * Bundles thv: one small entry, and chunks that are loaded only by the commands that need them.
 *
 * | Option        | Default                       | Meaning                                      |
 * |---------------|-------------------------------|----------------------------------------------|
 * | `--version V` | that of the root package.json | The program's version, without a `v`.        |
 * | `--out DIR`   | `dist` beside this file       | The folder of the output; it is emptied first. |
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { assertLicenses, findClosure, findPackages, formatNotices, narrowBom } from "../../scripts/lib/third-party.mjs";
import { askGit, bundleProgram, DOCS_PACK, PACKAGE_ROOT, readVersion } from "./bundle.mjs";
import { EXTERNAL, isExternal } from "./external.mjs";

const root = PACKAGE_ROOT;
const { values } = parseArgs({ options: { version: { type: "string" }, out: { type: "string", default: "dist" } } });
const version = readVersion(values.version);
const dist = resolve(root, values.out);

rmSync(dist, { recursive: true, force: true });
const metafile = await bundleProgram(dist, version);
chmodSync(`${dist}/thv.mjs`, 0o755);
execFileSync("npm", ["run", "--silent", "build", "--workspace", "@toolhive/app"], {
  cwd: `${root}/../..`,
  stdio: "pipe",
});
copyFileSync(fileURLToPath(import.meta.resolve("@toolhive/app/pack")), `${dist}/app.pack`);
// Made by the site's build, which needs this package's sources: a checkout that has no site yet has none, and `thv docs` says so.
if (existsSync(DOCS_PACK)) copyFileSync(DOCS_PACK, `${dist}/docs.pack`);

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
execFileSync(process.execPath, [writer, `${dist}/man`, `v${version}`, askGit("log", "-1", "--format=%cs")]);
rmSync(writer);

const loaded = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter((each) => each.external));
// The policy engine is required by its path, which no bundler sees.
const names = [
  ...loaded.map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path),
  ...EXTERNAL.filter((each) => !each.endsWith("/*")),
];
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
