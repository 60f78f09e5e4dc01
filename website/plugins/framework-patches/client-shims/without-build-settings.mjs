/** A loader that takes out of the configuration in each page what only the build reads. */

const BUILD_SETTINGS = [
  ...["presets", "plugins", "themes", "clientModules", "headTags", "scripts", "stylesheets", "staticDirectories"],
  ...["markdown", "onBrokenLinks", "onBrokenAnchors", "onBrokenMarkdownLinks", "onDuplicateRoutes"],
  ...["organizationName", "projectName"],
];

/**
 * @param {string} source Module that the framework writes: a comment, then the configuration as one JSON value.
 * @returns {string}
 */
export default function withoutBuildSettings(source) {
  const config = JSON.parse(source.slice(source.indexOf("{"), source.lastIndexOf("}") + 1));
  for (const name of BUILD_SETTINGS) delete config[name];
  return `export default ${JSON.stringify(config)};`;
}
