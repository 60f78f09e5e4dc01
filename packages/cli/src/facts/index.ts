/** What pages print of `thv` itself: its version, and the commands whose defaults they name. */
import manifest from "../../package.json" with { type: "json" };

export { STOP } from "../commands/lifecycle/definition.ts";
export { MCP_LIST } from "../commands/mcp/definition.ts";
export { PROXY } from "../commands/proxy/definition.ts";
export { RUN } from "../commands/run/definition.ts";
export { SERVE } from "../commands/serve/definition.ts";

/** Without the `v` that `thv version` prints before it. */
export const VERSION_NUMBER: string = manifest.version;
