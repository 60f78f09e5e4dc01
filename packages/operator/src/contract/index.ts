/** The form of an MCPServer, its names, and what the operator tells the runner. */
export * from "./conditions.ts";
export * from "./group.ts";
export * from "./idle.ts";
export * from "./mcp-server.ts";
export * from "./names.ts";
export * from "./remote-proxy.ts";
export * from "./runner-config.ts";
export * from "./tool-config.ts";
