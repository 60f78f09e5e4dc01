/**
 * Keeps small what every page carries about all the others (docs/decisions/0013). The browser gets the tables of routes in
 * a short form (`page-table.mjs`), and bundles go by one name instead of a number and a name, which spares two tables that
 * translate between them.
 */
import path from "node:path";
import type { CurrentBundler, Plugin } from "@docusaurus/types";

type Compiler = InstanceType<CurrentBundler["instance"]["Compiler"]>;

export default function compactRoutes(): Plugin {
  return {
    name: "toolhive-compact-routes",
    configureWebpack(config, isServer) {
      if (isServer) return {};
      const others = (config.plugins ?? []).filter((plugin) => plugin?.constructor.name !== "ChunkAssetPlugin");
      return {
        mergeStrategy: { plugins: "replace" },
        optimization: { chunkIds: "named" },
        plugins: [...others, assetOfChunk],
        module: {
          rules: [
            {
              test: /[\\/]\.docusaurus[\\/](?:routes\.js|registry\.js|routesChunkNames\.json)$/,
              type: "javascript/auto",
              use: path.join(__dirname, "loader.mjs"),
            },
          ],
        },
      };
    },
  };
}

/** `__webpack_require__.gca`, the framework's function from a chunk's name to its address, for chunks whose name is their id. */
const assetOfChunk = {
  apply(compiler: Compiler): void {
    const { RuntimeGlobals, RuntimeModule } = compiler.webpack;
    class AssetOfChunk extends RuntimeModule {
      constructor() {
        super("asset of chunk", RuntimeModule.STAGE_ATTACH);
      }
      override generate(): string {
        const { require, publicPath, getChunkScriptFilename } = RuntimeGlobals;
        return `${require}.gca = (name) => ${publicPath} + ${getChunkScriptFilename}(name);`;
      }
    }
    compiler.hooks.thisCompilation.tap("toolhive-compact-routes", (compilation) => {
      compilation.hooks.additionalTreeRuntimeRequirements.tap("toolhive-compact-routes", (chunk) => {
        compilation.addRuntimeModule(chunk, new AssetOfChunk());
      });
    });
  },
};
