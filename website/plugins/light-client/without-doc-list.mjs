/**
 * A loader that takes the list of all pages with their descriptions out of what every page loads. Nothing but the framework's
 * cards of a category reads it, which this site does not have; a page that used them would fail the build.
 *
 * @param {string} source JSON of the docs plugin's version.
 * @returns {string}
 */
export default function withoutDocList(source) {
  const props = JSON.parse(source);
  return JSON.stringify(props.version === undefined ? props : { ...props, version: { ...props.version, docs: {} } });
}
