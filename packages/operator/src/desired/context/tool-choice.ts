/** The tools that clients of a proxy see, from its own specification or from the MCPToolConfig that it names. */
import { listToolProblems } from "@toolhive/core";
import type { MCPToolConfigSpec, Proxied, RunnerConfig } from "../../contract/index.ts";
import type { DesiredContext, ReferenceProblem } from "./context.ts";

/** @returns What is wrong with the MCPToolConfig that a server names; `undefined` also when it names none. */
export function findToolConfigProblem(
  { metadata: { namespace }, spec: { toolConfigRef } }: Proxied,
  config: MCPToolConfigSpec | undefined,
): ReferenceProblem | undefined {
  if (toolConfigRef === undefined) return undefined;
  const { name } = toolConfigRef;
  if (config === undefined) {
    return {
      reason: "ToolConfigMissing",
      about: "tools",
      message: `The MCPToolConfig "${name}" does not exist in namespace ${namespace}, so clients see no tools. Create it, or take spec.toolConfigRef out.`,
    };
  }
  const problem = describeToolConfig(config);
  if (problem === undefined) return undefined;
  return {
    reason: "ToolConfigInvalid",
    about: "tools",
    message: `The MCPToolConfig "${name}" cannot be used, so clients see no tools: ${problem}. Correct it.`,
  };
}

/** @returns What is wrong with it, without a full stop. */
export function describeToolConfig({ toolsFilter, toolsOverride }: MCPToolConfigSpec): string | undefined {
  if (toolsFilter === undefined && toolsOverride === undefined) return "it has neither toolsFilter nor toolsOverride";
  const [problem] = listToolProblems({ tools: toolsFilter, tools_override: toolsOverride });
  return problem?.sentence;
}

/** While a choice cannot be known, nothing is offered: more than was asked for would be worse. */
export function chooseTools({
  server,
  toolConfig,
}: Pick<DesiredContext, "server" | "toolConfig">): Pick<RunnerConfig, "tools" | "tools_override"> {
  const { tools, toolConfigRef } = server.spec;
  if (toolConfigRef === undefined) return { ...(tools && { tools: [...tools] }) };
  if (toolConfig === undefined || findToolConfigProblem(server, toolConfig)) return { tools: [] };
  const { toolsFilter, toolsOverride } = toolConfig;
  return {
    ...(toolsFilter && { tools: [...toolsFilter] }),
    ...(toolsOverride && { tools_override: { ...toolsOverride } }),
  };
}
