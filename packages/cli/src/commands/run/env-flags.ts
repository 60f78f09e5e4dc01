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
    const lines = (await readFileText(path, problems)).split(/\r?\n/);
    for (let index = 0; index < lines.length; index += 1) {
      const line = lines[index]?.trimStart() ?? "";
      if (line === "" || line.startsWith("#")) continue;
      const where = `${path}, line ${index + 1}:`;
      const last = findLastLine(lines, index);
      if (last === index) take(line, where, { env, variables, problems });
      else problems.push(`${where} ${describeLongValue(line)}`);
      index = last;
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

/**
 * Values over several lines are not read, as other programs do not read them either. The rest of one is skipped, because none of
 * its lines is a variable, and a message must not have them.
 *
 * @returns The index of the line where a value ends that begins at a line: in most cases the same one.
 */
function findLastLine(lines: readonly string[], first: number): number {
  const begin = lines[first] ?? "";
  const value = begin.slice(begin.indexOf("=") + 1).trim();
  const quote = value.startsWith('"') || value.startsWith("'") ? value.charAt(0) : "";
  const isOpen = quote !== "" && (value.length === 1 || !value.endsWith(quote));
  const isBlock = value.slice(quote.length).startsWith("-----BEGIN ") && !value.includes("-----END ");
  if (!begin.includes("=") || !(isOpen || isBlock)) return first;
  for (let at = first + 1; at < lines.length; at += 1) {
    const line = lines[at]?.trim() ?? "";
    const isLast = isOpen ? line.endsWith(quote) : line.startsWith("-----END ");
    if (isVariable(isLast && isOpen ? line.slice(0, -1) : line)) return first;
    if (isLast) return at;
  }
  return first;
}

/** Lines of a certificate or a key may end with one or two `=`. */
function isVariable(line: string): boolean {
  const split = line.indexOf("=");
  return split > 0 && split < line.length - 1 && line[split + 1] !== "=";
}

function describeLongValue(line: string): string {
  const key = line.slice(0, line.indexOf("=")).trim().slice(0, 40);
  return `${key} has a value over several lines, which a file of variables cannot hold. Store it as a secret: thv secret set NAME --file FILE; then use --secret NAME,target=${key}`;
}

function take(item: string, where: string, { env, variables, problems }: Target): void {
  const split = item.indexOf("=");
  const key = split === -1 ? item.trimEnd() : item.slice(0, split);
  const value = split === -1 ? (Object.hasOwn(env, key) ? env[key] : undefined) : item.slice(split + 1);
  if (key === "") problems.push(`${where} "=…" has no name before "=": it must be KEY=VALUE or KEY`);
  else if (key.startsWith("export "))
    problems.push(`${where} "${key.slice(0, 40)}" begins with "export": leave that out`);
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
