/** MCPServers and their objects are followed, and the objects are kept as they shall be. */
export { Reconciler, type ReconcilerOptions } from "./reconciler.ts";
