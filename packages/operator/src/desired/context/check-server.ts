/** What is wrong with an MCPServer that the API server accepts all the same. */
import type { MCPServer } from "../../contract/index.ts";
import { readSpec } from "./context.ts";

const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
/** Characters of a name such that its Service `mcp-NAME-headless` has 63 at most. */
const MAX_HTTP_NAME = 50;
/** The same for the label that a StatefulSet gives its pods: the name, a hyphen, and ten characters. */
const MAX_STDIO_NAME = 52;

/** @returns Why its objects cannot exist, with the next step. `undefined`: they can. */
export function checkName(server: MCPServer): string | undefined {
  const { name } = server.metadata;
  const longest = readSpec(server).isStdio ? MAX_STDIO_NAME : MAX_HTTP_NAME;
  if (name.length > longest) {
    return `The name has ${name.length} characters, and its Services and pods allow ${longest}. Create the MCPServer with a shorter name, and delete this one.`;
  }
  if (!LABEL.test(name)) {
    return `The name "${name}" cannot be part of a Service's name. Create the MCPServer with a name of a-z, 0-9 and hyphens, and delete this one.`;
  }
  return undefined;
}

/** @returns Mistakes that the API server's rules for new objects find, in objects older than these rules. */
export function listSpecProblems({ spec }: MCPServer): string[] {
  const { oidcConfig, authzConfig, permissionProfile } = spec;
  const problems: string[] = [];
  for (const [member, config] of [
    ["oidcConfig", oidcConfig],
    ["authzConfig", authzConfig],
  ] as const) {
    if (config?.type === "inline" && !config.inline) problems.push(`spec.${member}.inline is missing.`);
    const isConfigMap = config?.type === "configMap" || (member === "authzConfig" && config && !config.type);
    if (isConfigMap && !config?.configMap) problems.push(`spec.${member}.configMap is missing.`);
  }
  if (permissionProfile?.type === "configmap" && !permissionProfile.key) {
    problems.push("spec.permissionProfile.key is missing.");
  }
  return problems;
}
