/**
 * `npm run bench`: the operator with many MCPServers, on a real control plane without nodes, calls of a few and changes of a few, on a real node.
 */
import { benchBesideEngines } from "../../../testing/bench-beside-engines.mjs";

await benchBesideEngines(
  new URL(".", import.meta.url),
  ["scale", "calls", "changes"],
  ["@kubernetes/client-node", "@napi-rs/keyring", "@cedar-policy/cedar-wasm", "yaml"],
);
