/**
 * Prefetches bundles while the browser is idle, one by one, in the order of reading, until a page has used its allowance. The
 * framework requests the bundles of every link as soon as it is in view, which is the longest task of a page with many
 * links. The other links are fetched when the pointer or a finger touches them.
 */
import { createRequire } from "node:module";
import path from "node:path";
import type { CurrentBundler, Plugin } from "@docusaurus/types";

const require = createRequire(__filename);
const coreClientDir = path.join(path.dirname(require.resolve("@docusaurus/core/package.json")), "lib/client");
const ownClientDir = path.join(__dirname, "client");

/** What a module of the framework's client asks for, and what it gets. */
const REPLACED: Readonly<Record<string, string>> = {
  "./docusaurus": path.join(ownClientDir, "docusaurus-global.ts"),
  "./prefetch": path.join(ownClientDir, "prefetch-bundle.ts"),
};

export default function idlePrefetch(): Plugin {
  return {
    name: "toolhive-idle-prefetch",
    getClientModules: () => [path.join(ownClientDir, "route-prefetches.ts")],
    configureWebpack(_config, isServer) {
      return {
        plugins: isServer ? [] : [replaceModules],
        resolve: {
          alias: {
            // The package's exports map hides the file.
            "stock-docusaurus-global$": path.join(coreClientDir, "docusaurus.js"),
          },
        },
      };
    },
  };
}

type Compiler = InstanceType<CurrentBundler["instance"]["Compiler"]>;

/** Takes the replacing plugin from whichever bundler runs. */
const replaceModules = {
  apply(compiler: Compiler): void {
    const { NormalModuleReplacementPlugin } = compiler.webpack;
    new NormalModuleReplacementPlugin(/^\.\/(docusaurus|prefetch)$/, (resource) => {
      if (resource.context === coreClientDir) resource.request = REPLACED[resource.request] ?? resource.request;
    }).apply(compiler);
  },
};
