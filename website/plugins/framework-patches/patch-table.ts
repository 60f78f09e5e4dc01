/**
 * Every place where this site reaches behind the framework's public interface. A patch stays only while it saves at least
 * 5 kB of each page's script, or does what the framework cannot (docs/decisions/0013). Each of them fails the build when
 * the framework is not the one it was written for: a silent patch would be found by readers.
 */

import { FrameworkPatchError } from "./patch-error.mjs";

export interface FrameworkPatch {
  /** Below `website/`. */
  readonly patch: string;
  /** What it replaces or rewrites, and of which package. */
  readonly replaces: string;
  readonly package: string;
  /** The version it was written for and tried with. */
  readonly version: string;
  /** How much more script a guide's first load has without this patch alone, gzip; 0 when the patch is not there to save any. */
  readonly savesBytes: number;
  readonly reason: string;
  /** Parts of a name of a module that are in the browser's bundles when the patch was applied. One list for each module. */
  readonly modules: readonly (readonly string[])[];
  /** How the build fails when the framework has changed. */
  readonly failsWhen: string;
}

const FOLDER = "plugins/framework-patches";

export const PATCHES: readonly FrameworkPatch[] = [
  {
    patch: `${FOLDER}/routes`,
    replaces: "the generated routes.js, routesChunkNames.json and registry.js, and the plugin ChunkAssetPlugin",
    package: "@docusaurus/core",
    version: "3.8.1",
    savesBytes: 5_900,
    reason:
      "The framework writes each page's path three times, and a number beside each bundle's name, into every page.",
    modules: [
      ["framework-patches/routes/loader.mjs", "/routes.js"],
      ["framework-patches/routes/loader.mjs", "/routesChunkNames.json"],
      ["framework-patches/routes/loader.mjs", "/registry.js"],
    ],
    failsWhen:
      "A table is not laid out as the patterns of page-table.mjs expect, or has another name; the bundler has no ChunkAssetPlugin, or several.",
  },
  {
    patch: `${FOLDER}/client-shims (without-doc-list.mjs)`,
    replaces: "the JSON of the docs plugin: its list of pages and the sidebar's items",
    package: "@docusaurus/core",
    version: "3.8.1",
    savesBytes: 10_600,
    reason: "Only cards of a category and a menu of versions read it; this site has neither.",
    modules: [
      ["client-shims/without-doc-list.mjs", "/p/"],
      ["client-shims/without-doc-list.mjs", "/globalData.json"],
    ],
    failsWhen: "The JSON has no sidebars or no versions where they were.",
  },
  {
    patch: `${FOLDER}/client-shims (no-highlighter.ts)`,
    replaces: "prism-react-renderer",
    package: "@docusaurus/core",
    version: "3.8.1",
    savesBytes: 25_100,
    reason: "Code is highlighted while pages are compiled; the highlighter need not travel.",
    modules: [["client-shims/client/no-highlighter.ts"]],
    failsWhen: "No module of the theme imports prism-react-renderer any more.",
  },
  {
    patch: `${FOLDER}/client-shims (client)`,
    replaces: "tslib, hoist-non-react-statics and path-to-regexp",
    package: "@docusaurus/core",
    version: "3.8.1",
    savesBytes: 5_700,
    reason: "Each is a whole library in every page's script for one function.",
    modules: [["client-shims/client/tslib.ts"], ["client-shims/client/path-to-regexp.ts"]],
    failsWhen: "The framework or its router imports another function of one, or none, or a route has a parameter.",
  },
  {
    patch: `${FOLDER}/idle-prefetch`,
    replaces: "client/docusaurus.js and client/prefetch.js",
    package: "@docusaurus/core",
    version: "3.8.1",
    savesBytes: 0,
    reason: "Prefetching waits until the browser is idle, and is bounded for each page.",
    modules: [["idle-prefetch/client/docusaurus-global.ts"], ["idle-prefetch/client/prefetch-bundle.ts"]],
    failsWhen: "The framework's client imports neither ./docusaurus nor ./prefetch from its own folder.",
  },
  {
    patch: `${FOLDER}/search-client (docsearch-modal.tsx)`,
    replaces: "@docsearch/react/modal",
    package: "@docsearch/react",
    version: "3.9.0",
    savesBytes: 0,
    reason: "The dialog asks the site's own service, shows failures, and is described as a dialog.",
    modules: [["search-client/client/docsearch-modal.tsx"]],
    failsWhen: "The theme loads the dialog under another name.",
  },
  {
    patch: `${FOLDER}/search-client (lite-client.ts)`,
    replaces: "algoliasearch/lite",
    package: "algoliasearch",
    version: "5.27.0",
    savesBytes: 0,
    reason: "The search page asks the site's own service.",
    modules: [["search-client/client/lite-client.ts"]],
    failsWhen: "The search page imports its client under another name.",
  },
  {
    patch: "build-steps/defer-scripts.ts",
    replaces: "the script elements of each page, and the event of the banner for a wrong base address",
    package: "@docusaurus/core",
    version: "3.8.1",
    savesBytes: 0,
    reason: "Scripts would share the connection with what the first picture needs.",
    modules: [],
    failsWhen: "A page has no deferred script or no stylesheet, or the home page no `void 0===window.docusaurus`.",
  },
];

/** @param findVersion Finds the installed version of a package. */
export function assertVersions(findVersion: (name: string) => string): void {
  for (const { patch, package: name, version } of PATCHES) {
    const installed = findVersion(name);
    if (installed !== version)
      throw new FrameworkPatchError(`${name} is ${installed}, and ${patch} was written for ${version}.`);
  }
}

/** @param identifiers Names of all modules in the browser's bundles, with their loaders. */
export function assertApplied(identifiers: Iterable<string>): void {
  const names = [...identifiers].map((name) => name.replaceAll("\\", "/"));
  for (const { patch, replaces, modules } of PATCHES) {
    const missing = modules.find((parts) => !names.some((name) => parts.every((part) => name.includes(part))));
    if (missing !== undefined)
      throw new FrameworkPatchError(`${patch} did not replace ${replaces}: no bundle has ${missing.join(" for ")}.`);
  }
}
