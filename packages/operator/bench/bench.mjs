/** `npm run bench`: the operator with many MCPServers, on a real control plane without nodes. */
import { benchBesideEngines } from "../../../testing/bench-beside-engines.mjs";

await benchBesideEngines(new URL(".", import.meta.url), ["scale"], ["@kubernetes/client-node"]);
