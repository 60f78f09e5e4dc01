/** MCPServers as files, and what becomes of them on a machine without a cluster. */
export { checkObject, type ObjectReport } from "./check-object.ts";
export { parseManifest, type ReadManifest, readManifest } from "./read-manifest.ts";
export { type ReadSet, readManifestSet } from "./read-set.ts";
export { createManifest, type Manifest, printManifest } from "./write-manifest.ts";
