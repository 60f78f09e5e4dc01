/** Variables for a server: `--env KEY=VALUE`, `--env KEY` (its value here), and files of such lines. */
import { readBoundedText } from "@toolhive/core/bounded-file";
import { describeFileFailure } from "@toolhive/core/file-failure";
import type { RunInput } from "./definition.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @returns `KEY=VALUE` each, every key once: `--env` before `--env-from`, later before earlier.
 * @param problems Receives the problems. They never contain values, which may be secret.
 */
export async function readVariables(
  input: Pick<RunInput, "env" | "envFrom" | "envFile">,
  env: Environment,
  problems: string[],
): Promise<string[]> {
  const variables = new Map<string, string>();
  for (const path of [...input.envFile, ...input.envFrom]) {
    const text = await readFileText(path, problems);
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
      take(line.trimStart(), `${path}, line ${index + 1}:`, { env, variables, problems });
    }
  }
  for (const item of input.env) take(item, "--env", { env, variables, problems });
  return [...variables].map(([key, value]) => `${key}=${value}`);
}

interface Target {
  readonly env: Environment;
  readonly variables: Map<string, string>;
  readonly problems: string[];
}

function take(item: string, where: string, { env, variables, problems }: Target): void {
  const split = item.indexOf("=");
  const key = split === -1 ? item.trimEnd() : item.slice(0, split);
  const value = split === -1 ? (Object.hasOwn(env, key) ? env[key] : undefined) : item.slice(split + 1);
  if (key === "") problems.push(`${where} "=…" has no name before "=": it must be KEY=VALUE or KEY`);
  else if (/\s/.test(key)) problems.push(`${where} "${key.slice(0, 40)}" is not KEY=VALUE or KEY`);
  else if (value === undefined) problems.push(`${where} ${key} has no value, and is not set here either`);
  else variables.set(key, value);
}

async function readFileText(path: string, problems: string[]): Promise<string> {
  try {
    return await readBoundedText(path, { mayWait: true });
  } catch (error) {
    problems.push(`--env-from ${path} cannot be read: ${describeFileFailure(error)}`);
  }
  return "";
}
