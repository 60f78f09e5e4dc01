/**
 * Keeps out of the browser what this site does at build time: code blocks are highlighted while pages are compiled, so
 * that the highlighter never travels, and the home page's session is data that `reference/session.ts` wrote.
 */
import path from "node:path";
import type { Plugin } from "@docusaurus/types";

/** Packages of which the framework uses a sliver, in the browser. */
const LIGHTER = {
  tslib$: path.join(__dirname, "client/tslib.ts"),
  "hoist-non-react-statics$": path.join(__dirname, "client/hoist-non-react-statics.ts"),
  "react-helmet-async$": path.join(__dirname, "client/helmet.tsx"),
  "path-to-regexp$": path.join(__dirname, "client/path-to-regexp.ts"),
};

/** The docs have one version, and a sidebar that cannot be hidden (spec §2). */
const UNUSED_COMPONENTS = [
  "DocVersionBanner",
  "DocVersionBadge",
  "DocSidebar/Desktop/CollapseButton",
  "DocRoot/Layout/Sidebar/ExpandButton",
];
const NOTHING = Object.fromEntries(
  UNUSED_COMPONENTS.map((name) => [`@theme/${name}$`, path.join(__dirname, "client/nothing.ts")]),
);

export default function clientShims(): Plugin {
  return {
    name: "toolhive-client-shims",
    // Lightning CSS, which minifies the stylesheet, also fits it to the browsers. Another pass before it takes longer than
    // all the rest of the styles and repeats each colour for browsers without custom properties.
    configurePostCss: (options) => ({ ...options, plugins: [] }),
    configureWebpack(_config, isServer) {
      return {
        module: {
          rules: [
            {
              test: /docusaurus-plugin-content-docs[\\/][^\\/]+[\\/]p[\\/][^\\/]+\.json$|[\\/]globalData\.json$/,
              use: path.join(__dirname, "without-doc-list.mjs"),
            },
            {
              test: /[\\/]docusaurus\.config\.mjs$/,
              use: path.join(__dirname, "without-build-settings.mjs"),
            },
          ],
        },
        resolve: {
          alias: {
            ...NOTHING,
            ...(isServer ? {} : LIGHTER),
            "prism-react-renderer$": path.join(__dirname, "client/no-highlighter.ts"),
            "toolhive-session$": path.join(__dirname, "../../../src/generated/session.json"),
          },
        },
      };
    },
  };
}
