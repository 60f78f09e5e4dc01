/** Conditions of MCPServers, MCPRemoteProxies and MCPGroups, and the texts of their phases; those of an MCPServer are the reference's. */

export const CONDITION_TYPES = ["Ready", "ServerReady", "ProxyReady", "ProfileEnforced", "Authenticated"] as const;
/** `RemoteReachable`: the server elsewhere lists its tools. `SignedIn`: it takes what the proxy signs in with. */
export const REMOTE_CONDITION_TYPES = ["Ready", "ProxyReady", "RemoteReachable", "SignedIn", "Authenticated"] as const;
/** `ServersReady`: the group's endpoint reaches every server that names it. */
export const GROUP_CONDITION_TYPES = ["Ready", "ProxyReady", "ServersReady", "Authenticated"] as const;
/** Of a server that names an MCPGroup, beside the others. */
export const JOINING_CONDITION_TYPE = "GroupJoined";
/** False for an object whose manifest calls members otherwise; absent for all others. */
export const NAMES_CONDITION_TYPE = "CurrentNames";
export type ConditionType =
  | typeof NAMES_CONDITION_TYPE
  | typeof JOINING_CONDITION_TYPE
  | (typeof CONDITION_TYPES)[number]
  | (typeof REMOTE_CONDITION_TYPES)[number]
  | (typeof GROUP_CONDITION_TYPES)[number];

export const MESSAGES = {
  running: "MCP server is running",
  starting: "MCP server is starting",
  failed: "MCP server failed to start",
  noPods: "No pods found for MCP server",
  terminating: "MCP server is being terminated",
} as const;

export const REMOTE_MESSAGES = {
  running: "Remote MCP server is served",
  starting: "Proxy is starting",
  failed: "Remote MCP server cannot be served",
  noPods: "No pods found for the proxy",
  terminating: "Proxy is being terminated",
} as const;

export const GROUP_MESSAGES = {
  running: "Group is served",
  starting: "Endpoint of the group is starting",
  failed: "Group cannot be served",
  noPods: "No pods found for the group",
  terminating: "Group is being terminated",
} as const;
