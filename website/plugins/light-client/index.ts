/**
 * Keeps out of the browser what this site does at build time: code blocks are highlighted while pages are compiled, so
 * that the highlighter never travels, and the home page's session is data that `reference/session.ts` wrote.
 */
import path from "node:path";
import type { Plugin } from "@docusaurus/types";

export default function lightClient(): Plugin {
  return {
    name: "toolhive-light-client",
    configureWebpack() {
      return {
        resolve: {
          alias: {
            "prism-react-renderer$": path.join(__dirname, "client/no-highlighter.ts"),
            "toolhive-session$": path.join(__dirname, "../../src/generated/session.json"),
          },
        },
      };
    },
  };
}
