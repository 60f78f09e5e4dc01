import { FrameworkPatchError } from "../patch-error.mjs";

/**
 * A loader that takes out of what every page loads what only the framework's cards of a category and its menu of versions
 * read: the lists of all pages, with their descriptions and paths, and in the sidebar the id beside each page's address.
 * This site has neither; a page with such cards would fail the build.
 *
 * @param {string} source JSON of the docs plugin: the version's properties, or the global data of all plugins.
 * @returns {string}
 */
export default function withoutDocList(source) {
  const data = JSON.parse(source);
  const { version } = data;
  const versions = Object.values(data["docusaurus-plugin-content-docs"] ?? {}).flatMap((docs) => docs.versions ?? []);
  if (version === undefined && versions.length === 0) fail("no version of the docs");
  if (version !== undefined) {
    if (version.docsSidebars === undefined) fail("no sidebars in a version of the docs");
    version.docs = {};
    for (const items of Object.values(version.docsSidebars)) items.forEach(trim);
  }
  for (const one of versions) {
    if (!Array.isArray(one.docs)) fail("no list of pages in a version of the docs");
    one.docs = [];
  }
  return JSON.stringify(data);
}

function fail(what) {
  throw new FrameworkPatchError(`plugins/framework-patches/client-shims found ${what}.`);
}

/** Trims an item of the sidebar, and what is below it, in place. */
function trim(item) {
  delete item.docId;
  if (item.unlisted === false) delete item.unlisted;
  item.items?.forEach(trim);
}
