/** Conditions of an MCPServer, and the texts of its phases, which are the reference's. */

export const CONDITION_TYPES = ["Ready", "ServerReady", "ProxyReady", "ProfileEnforced", "Authenticated"] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export const MESSAGES = {
  running: "MCP server is running",
  starting: "MCP server is starting",
  failed: "MCP server failed to start",
  noPods: "No pods found for MCP server",
  terminating: "MCP server is being terminated",
} as const;
