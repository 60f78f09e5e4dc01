/**
 * Points both search clients of the theme (the modal's and the search page's) at the service on the site's own
 * origin by module aliases, and takes the preconnect to the hosted provider out of the theme.
 * With a hosted application configured in the brand file the clients talk to that application instead.
 */
import { createRequire } from "node:module";
import path from "node:path";
import type { Plugin } from "@docusaurus/types";

const require = createRequire(__filename);

export default function searchClient(): Plugin {
  const client = path.join(__dirname, "client");
  const liteBuilds = path.dirname(require.resolve("algoliasearch/lite"));
  return {
    name: "toolhive-search-client",
    configureWebpack(_config, isServer) {
      return {
        resolve: {
          alias: {
            "@docsearch/react/modal$": path.join(client, "docsearch-modal.tsx"),
            "algoliasearch/lite$": path.join(client, "lite-client.ts"),
            // The package's exports map hides the file behind the aliased name.
            "stock-lite-client$": path.join(liteBuilds, isServer ? "node.js" : "browser.js"),
          },
        },
      };
    },
  };
}
