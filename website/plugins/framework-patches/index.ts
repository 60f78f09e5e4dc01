/** All patches of the framework (`patch-table.ts`), and the plugin that stops the build when one of them does not fit. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { CurrentBundler, Plugin } from "@docusaurus/types";
import clientShims from "./client-shims/index.ts";
import idlePrefetch from "./idle-prefetch/index.ts";
import { assertApplied, assertVersions } from "./patch-table.ts";
import compactRoutes from "./routes/index.ts";
import searchClient from "./search-client/index.ts";

type Compiler = InstanceType<CurrentBundler["instance"]["Compiler"]>;

const NAME = "toolhive-framework-patches";

export const frameworkPatches = [checkPatches, searchClient, clientShims, compactRoutes, idlePrefetch];

function checkPatches(): Plugin {
  assertVersions(installedVersion);
  const identifiers = new Set<string>();
  const collectModules = {
    apply(compiler: Compiler): void {
      compiler.hooks.compilation.tap(NAME, (compilation) => {
        compilation.hooks.finishModules.tap(NAME, (modules) => {
          for (const module of modules) identifiers.add(module.identifier());
        });
      });
    },
  };
  return {
    name: NAME,
    configureWebpack: (_config, isServer) => (isServer ? {} : { plugins: [collectModules] }),
    async postBuild() {
      assertApplied(identifiers);
    },
  };
}

/** The folder of a package is found by its name: not every package lets its `package.json` be imported. */
export function installedVersion(name: string): string {
  const folders = createRequire(__filename).resolve.paths(name) ?? [];
  for (const folder of folders) {
    const text = readIfPresent(path.join(folder, name, "package.json"));
    if (text !== undefined) return (JSON.parse(text) as { version: string }).version;
  }
  return "not installed";
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
