/** The three kinds that have a proxy. An object of them is kept as the API server has it; `kind` says which it is. */
import type { MCPGroup } from "./group.ts";
import type { MCPServer, MCPServerSpec } from "./mcp-server.ts";
import { KIND } from "./names.ts";
import type { MCPRemoteProxy } from "./remote-proxy.ts";

export type Proxied = MCPServer | MCPRemoteProxy | MCPGroup;

/** Members that mean the same in every kind that has them. An MCPGroup has neither `tools` nor `groupRef`. */
export type ProxiedSpec = Pick<MCPServerSpec, keyof Proxied["spec"]>;

/** @returns The members of an MCPServer; none for the kinds that have no server on the cluster. */
export function readServerMembers(object: Proxied): Partial<MCPServerSpec> {
  return object.kind === KIND ? object.spec : {};
}
