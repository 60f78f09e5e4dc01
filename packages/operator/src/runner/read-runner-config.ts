/** Reads what the operator wrote for this proxy. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type AccessConfig, listProblems, listSentences, readAuthzConfig } from "@toolhive/core";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { describeError, ThvError } from "@toolhive/core/errors";
import {
  AUTHZ_FILE,
  deriveIdleToken,
  type RunnerConfig,
  RunnerConfigSchema,
  SESSION_KEY_FILE,
} from "../contract/index.ts";

const HINT =
  "The operator writes this file. Look at the object's conditions: kubectl describe mcpserver NAME, or mcpremoteproxy, mcpgroup";

export interface RunnerSettings {
  readonly config: RunnerConfig;
  /** Seals session ids; `undefined` without replicas. */
  readonly sessionKey: Buffer | undefined;
  /** What the operator shows when it asks whether anybody calls; `undefined` where it never asks. */
  readonly idleToken: string | undefined;
  readonly access: AccessConfig | undefined;
}

/** Other places of the files, for tests. */
interface RunnerFiles {
  readonly authzFile?: string;
  readonly sessionKeyFile?: string;
}

const KEY_BYTES = 32;

/** @throws {ThvError} `CONFIG_INVALID` with every problem; `INVALID_ARGUMENT` for wrong policies. */
export async function readRunnerSettings(
  file: string,
  { authzFile = AUTHZ_FILE, sessionKeyFile = SESSION_KEY_FILE }: RunnerFiles = {},
): Promise<RunnerSettings> {
  const config = await readConfig(file);
  const policies = config.has_policies ? { authz_config: await readAuthzConfig(requireFile(authzFile)) } : {};
  const access = { ...(config.access as AccessConfig), ...policies };
  const key = config.has_replicas || config.sleeps_when_idle ? await readSessionKey(sessionKeyFile) : undefined;
  const sessionKey = config.has_replicas ? key : undefined;
  const idleToken = key && config.sleeps_when_idle ? deriveIdleToken(key) : undefined;
  return { config, sessionKey, idleToken, access: Object.keys(access).length === 0 ? undefined : access };
}

/** @throws {ThvError} `CONFIG_INVALID`. */
async function readSessionKey(file: string): Promise<Buffer> {
  const key = await readFile(file).catch((error: unknown) => {
    throw new ThvError("CONFIG_INVALID", `The key of sessions ${file} cannot be read: ${describeError(error)}`, {
      hint: "The operator writes it into the Secret NAME-sessions. Look at the events of the MCPServer.",
      cause: error,
    });
  });
  if (key.length === KEY_BYTES) return key;
  throw new ThvError("CONFIG_INVALID", `The key of sessions ${file} has ${key.length} bytes, not ${KEY_BYTES}.`, {
    hint: "Delete the Secret NAME-sessions; the operator makes another one.",
  });
}

/** @throws {ThvError} `CONFIG_INVALID` with every problem. */
export async function readConfig(file: string): Promise<RunnerConfig> {
  let value: unknown;
  try {
    value = JSON.parse(await readBoundedText(file));
  } catch (error) {
    throw new ThvError("CONFIG_INVALID", `${file} cannot be read: ${describeError(error)}`, {
      hint: HINT,
      cause: error,
    });
  }
  const problems = listSentences(listProblems(RunnerConfigSchema, value));
  const config = value as RunnerConfig;
  if (problems.length === 0 && config.transport === "stdio" && config.attach === undefined)
    problems.push("attach is missing");
  if (
    problems.length === 0 &&
    config.transport !== "stdio" &&
    config.group === undefined &&
    config.target === undefined &&
    config.remote === undefined
  )
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
