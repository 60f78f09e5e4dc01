/** Reads what the operator wrote for this proxy. */
import { existsSync } from "node:fs";
import { type AccessConfig, listProblems, readAuthzConfig } from "@toolhive/core";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { messageOf, ThvError } from "@toolhive/core/errors";
import { AUTHZ_FILE, type RunnerConfig, RunnerConfigSchema } from "../contract/index.ts";

const HINT = "The operator writes this file. Look at the MCPServer's conditions: kubectl describe mcpserver NAME";

export interface RunnerSettings {
  readonly config: RunnerConfig;
  readonly access: AccessConfig | undefined;
}

/** @throws {ThvError} `CONFIG_INVALID` with every problem; `INVALID_ARGUMENT` for wrong policies. */
export async function readRunnerSettings(
  file: string,
  { authzFile = AUTHZ_FILE }: { readonly authzFile?: string } = {},
): Promise<RunnerSettings> {
  const config = await readConfig(file);
  const policies = config.has_policies ? { authz_config: await readAuthzConfig(requireFile(authzFile)) } : {};
  const access = { ...(config.access as AccessConfig), ...policies };
  return { config, access: Object.keys(access).length === 0 ? undefined : access };
}

async function readConfig(file: string): Promise<RunnerConfig> {
  let value: unknown;
  try {
    value = JSON.parse(await readBoundedText(file));
  } catch (error) {
    throw new ThvError("CONFIG_INVALID", `${file} cannot be read: ${messageOf(error)}`, { hint: HINT, cause: error });
  }
  const problems = listProblems(RunnerConfigSchema, value);
  const config = value as RunnerConfig;
  if (problems.length === 0 && config.transport === "stdio" && config.attach === undefined)
    problems.push("attach is missing");
  if (problems.length === 0 && config.transport !== "stdio" && config.target === undefined)
    problems.push("target is missing");
  if (problems.length > 0)
    throw new ThvError("CONFIG_INVALID", `${file} is wrong: ${problems.join("; ")}.`, { hint: HINT });
  return config;
}

function requireFile(file: string): string {
  if (existsSync(file)) return file;
  throw new ThvError("CONFIG_INVALID", `The policies ${file} are missing.`, {
    hint: "Check that the ConfigMap of spec.authzConfig has the key that it names.",
  });
}
