/** What the bundle of thv leaves out, because it holds binaries or data of its own. */

/**
 * Loaded from node_modules when they are needed. Without the first one there is no keyring, without the second one a
 * workload with policies does not start, without the third kind no image is verified.
 */
export const EXTERNAL = ["@napi-rs/keyring", "@cedar-policy/cedar-wasm", "@sigstore/*"];
/** Those of them that thv does without, with a message where somebody asks for what they do. */
export const OPTIONAL = ["@napi-rs/keyring"];

/** @param {string} name Of a package. @returns {boolean} */
export function isExternal(name) {
  return EXTERNAL.some((each) => (each.endsWith("/*") ? name.startsWith(each.slice(0, -1)) : name === each));
}
