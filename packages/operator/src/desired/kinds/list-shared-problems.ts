/** Mistakes in members that every kind has. */
import { findGroupRefProblem, type MCPServerSpec, type ProxiedSpec } from "../../contract/index.ts";

export function listSharedProblems({
  oidcConfig,
  authzConfig,
  groupRef,
}: Pick<ProxiedSpec, "oidcConfig" | "authzConfig"> & Pick<MCPServerSpec, "groupRef">): string[] {
  const problem = findGroupRefProblem(groupRef);
  const problems = problem === undefined ? [] : [problem];
  for (const [member, config] of [
    ["oidcConfig", oidcConfig],
    ["authzConfig", authzConfig],
  ] as const) {
    if (config?.type === "inline" && !config.inline) problems.push(`spec.${member}.inline is missing.`);
    const isConfigMap = config?.type === "configMap" || (member === "authzConfig" && config && !config.type);
    if (isConfigMap && !config?.configMap) problems.push(`spec.${member}.configMap is missing.`);
  }
  return problems;
}
