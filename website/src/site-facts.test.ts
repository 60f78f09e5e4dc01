/** Docusaurus compiles what its configuration imports, file by file: with the tool's packages that took 12 of 44 seconds. */
import path from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";

const websiteDir = path.join(import.meta.dirname, "..");
/** Files that import no other file but data. */
const SMALL = [
  "packages/app/src/words/labels.json",
  "packages/app/src/words/messages.ts",
  "packages/core/src/support/brand.ts",
  "scripts/lib/errors.mjs",
  "scripts/lib/inputs.mjs",
  "scripts/lib/third-party.mjs",
];

test("the configuration and the sidebar import no package of the tool, except for small files", async () => {
  const { metafile } = await build({
    absWorkingDir: websiteDir,
    entryPoints: ["docusaurus.config.ts", "sidebars.ts"],
    outdir: "unused",
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    logLevel: "silent",
    plugins: [
      {
        name: "other-packages-outside",
        setup(esbuild) {
          esbuild.onResolve({ filter: /^[^.]/ }, ({ path: name, kind }) =>
            kind === "entry-point" || name.startsWith("@toolhive/") ? undefined : { path: name, external: true },
          );
          esbuild.onResolve({ filter: /node_modules/ }, ({ path: name }) => ({ path: name, external: true }));
        },
      },
    ],
  });
  const outside = Object.keys(metafile.inputs).filter((file) => file.startsWith("../"));

  expect(outside.map((file) => file.slice(3)).sort()).toEqual(SMALL);
});
