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
  if (data.version !== undefined) {
    data.version.docs = {};
    for (const items of Object.values(data.version.docsSidebars)) items.forEach(trim);
  }
  for (const { versions } of Object.values(data["docusaurus-plugin-content-docs"] ?? {})) {
    for (const version of versions) version.docs = [];
  }
  return JSON.stringify(data);
}

/** Trims an item of the sidebar, and what is below it, in place. */
function trim(item) {
  delete item.docId;
  if (item.unlisted === false) delete item.unlisted;
  item.items?.forEach(trim);
}
