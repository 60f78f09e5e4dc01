/** Mistakes in members that every kind has. */
import type { ProxiedSpec } from "../../contract/index.ts";

export function listSharedProblems({
  oidcConfig,
  authzConfig,
}: Pick<ProxiedSpec, "oidcConfig" | "authzConfig">): string[] {
  const problems: string[] = [];
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
