/** The operator follows MCPServers, MCPRemoteProxies, MCPGroups and what belongs to them, and keeps that as desired. */
export { Reconciler } from "./reconciler.ts";
