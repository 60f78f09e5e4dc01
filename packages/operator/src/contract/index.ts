/** The forms of the operator's kinds, the names of what belongs to an object of one, and what the operator writes for the runner. */
export * from "./conditions.ts";
export * from "./group.ts";
export * from "./idle.ts";
export * from "./mcp-server.ts";
export * from "./names.ts";
export * from "./object.ts";
export * from "./object-key.ts";
export * from "./original-members.ts";
export * from "./proxied.ts";
export * from "./remote-proxy.ts";
export * from "./runner-config.ts";
export * from "./tool-config.ts";
