/** Bundles `thv` from the sources for tests that need it as a program, without the build of a release. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

export interface BundledThv extends AsyncDisposable {
  /** Holds the program; also a throwaway HOME. */
  readonly directory: string;
  /** Path of the program, for Node. */
  readonly program: string;
}

export async function bundleThv(): Promise<BundledThv> {
  const directory = await mkdtemp(join(tmpdir(), "thv-program-"));
  await build({
    entryPoints: [join(import.meta.dirname, "../thv.ts")],
    outdir: directory,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    format: "esm",
    external: ["@napi-rs/*"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
  return {
    directory,
    program: join(directory, "thv.mjs"),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}
