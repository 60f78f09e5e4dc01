/**
 * Keeps out of the browser what this site does at build time: code blocks are highlighted while pages are compiled, so
 * that the highlighter never travels, and the home page's session is data that `reference/session.ts` wrote.
 */
import path from "node:path";
import type { Plugin } from "@docusaurus/types";

export default function clientShims(): Plugin {
  return {
    name: "toolhive-client-shims",
    // Lightning CSS, which minifies the stylesheet, also fits it to the browsers. Another pass before it takes longer than
    // all the rest of the styles and repeats each colour for browsers without custom properties.
    configurePostCss: (options) => ({ ...options, plugins: [] }),
    configureWebpack() {
      return {
        module: {
          rules: [
            {
              test: /docusaurus-plugin-content-docs[\\/][^\\/]+[\\/]p[\\/][^\\/]+\.json$|[\\/]globalData\.json$/,
              use: path.join(__dirname, "without-doc-list.mjs"),
            },
          ],
        },
        resolve: {
          alias: {
            "prism-react-renderer$": path.join(__dirname, "client/no-highlighter.ts"),
            // Each would bring a whole library for one function.
            tslib$: path.join(__dirname, "client/tslib.ts"),
            "hoist-non-react-statics$": path.join(__dirname, "client/hoist-statics.ts"),
            "path-to-regexp$": path.join(__dirname, "client/path-to-regexp.ts"),
            "toolhive-session$": path.join(__dirname, "../../../src/generated/session.json"),
          },
        },
      };
    },
  };
}
