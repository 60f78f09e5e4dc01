/** MCPServers and their objects are followed, and the objects are kept as they shall be. */
export { Reconciler } from "./reconciler.ts";
