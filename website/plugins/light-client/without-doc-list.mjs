/**
 * A loader that takes lists of all pages out of what every page loads: their descriptions, which the framework's cards of a
 * category show, and their paths, which its menu of versions reads. This site has neither; a page with such cards would fail
 * the build.
 *
 * @param {string} source JSON of the docs plugin: the version's properties, or the global data of all plugins.
 * @returns {string}
 */
export default function withoutDocList(source) {
  const data = JSON.parse(source);
  if (data.version !== undefined) data.version.docs = {};
  for (const { versions } of Object.values(data["docusaurus-plugin-content-docs"] ?? {})) {
    for (const version of versions) version.docs = [];
  }
  return JSON.stringify(data);
}
