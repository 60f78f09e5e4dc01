/**
 * Keeps code out of the browser that this site does at build time: code blocks are highlighted while pages are
 * compiled, so that the highlighter and its languages never travel.
 */
import path from "node:path";
import type { Plugin } from "@docusaurus/types";

export default function lightClient(): Plugin {
  return {
    name: "toolhive-light-client",
    configureWebpack() {
      return { resolve: { alias: { "prism-react-renderer$": path.join(__dirname, "client/no-highlighter.ts") } } };
    },
  };
}
