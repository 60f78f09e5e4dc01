/** The three kinds that have a proxy. An object of them is kept as the API server has it; `kind` says which it is. */
import type { MCPGroup } from "./group.ts";
import type { MCPServer, MCPServerSpec } from "./mcp-server.ts";
import { KIND, MCP_GROUP_KIND, TOOL_CONFIG_KIND } from "./names.ts";
import { formatObjectKey } from "./object-key.ts";
import { readGroupName } from "./original-members.ts";
import type { MCPRemoteProxy } from "./remote-proxy.ts";

export type Proxied = MCPServer | MCPRemoteProxy | MCPGroup;

/** Members that mean the same in every kind that has them. An MCPGroup has neither `tools` nor `groupRef`. */
export type ProxiedSpec = Pick<MCPServerSpec, keyof Proxied["spec"]>;

/** @returns The members of an MCPServer; none for the kinds that have no server on the cluster. */
export function readServerMembers(object: Proxied): Partial<MCPServerSpec> {
  return object.kind === KIND ? object.spec : {};
}

/** @returns The key of the MCPGroup that an object names, in a list of at most one. */
export function listGroupKeys(object: Proxied | undefined): string[] {
  const name = readGroupName(object?.spec.groupRef);
  return object && name !== undefined ? [formatObjectKey(MCP_GROUP_KIND, { ...object.metadata, name })] : [];
}

/** The same of the MCPToolConfig. */
export function listToolConfigKeys(object: Proxied | undefined): string[] {
  const { toolConfigRef: named } = object?.spec ?? {};
  return object && named ? [formatObjectKey(TOOL_CONFIG_KIND, { ...object.metadata, name: named.name })] : [];
}
