/**
 * Gives Docusaurus' own server, which `npm start -- --watch` runs, the search and the MCP server of the last build: it passes what
 * is asked of them on to the site's server, whose address is in `TOOLHIVE_SITE_SERVER`.
 */
import type { Plugin } from "@docusaurus/types";

/** Paths that the site's server answers itself. */
const SERVICES = ["/1/", "/mcp"];

export default function searchBeside(): Plugin {
  const target = process.env.TOOLHIVE_SITE_SERVER;
  return {
    name: "toolhive-search-beside",
    configureWebpack(_config, isServer) {
      if (isServer || target === undefined) return {};
      // Typed for the bundler alone; Docusaurus reads it for its server.
      return { devServer: { proxy: [{ context: SERVICES, target }] } } as object;
    },
  };
}
