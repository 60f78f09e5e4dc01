/**
 * Keeps small what every page carries about all the others (docs/decisions/0013): the browser gets the tables of routes in
 * a short form (`page-table.mjs`), and bundles go by one name (`bundles.ts`).
 */
import path from "node:path";
import type { Plugin } from "@docusaurus/types";
import { replaceChunkAssetPlugin } from "./bundles.ts";

export default function compactRoutes(): Plugin {
  return {
    name: "toolhive-routes",
    configureWebpack(config, isServer) {
      if (isServer) return {};
      return {
        mergeStrategy: { plugins: "replace" },
        optimization: { chunkIds: "named" },
        plugins: replaceChunkAssetPlugin(config.plugins ?? []),
        module: {
          rules: [
            {
              test: /[\\/]\.docusaurus[\\/].*(?:routes\.js|registry\.js|routesChunkNames\.json)$/,
              type: "javascript/auto",
              use: path.join(__dirname, "loader.mjs"),
            },
          ],
        },
      };
    },
  };
}
