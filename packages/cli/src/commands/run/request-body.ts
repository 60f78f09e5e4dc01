/** The flags of `thv run` as a create request. Validates locally and reports all problems at once. */
import { resolve } from "node:path";
import type { OperationInput } from "@toolhive/api/client";
import { readAllowedHosts } from "@toolhive/core/allowed-hosts";
import { ThvError } from "@toolhive/core/errors";
import { findRelativeFolder } from "@toolhive/core/target";
import type { CommandCheck, CommandContext } from "../../command-line/command.ts";
import { readLabels } from "../shared/flags/label-flag.ts";
import { readTools } from "../tools/tool-flags.ts";
import { readConfigFile, withFlags } from "./config-file.ts";
import type { RUN, RunInput } from "./definition.ts";
import { readVariables } from "./env-flags.ts";
import { problemsInFlags } from "./flag-problems.ts";
import { refusePastedCommand } from "./pasted-command.ts";
import { readPermissions } from "./permission-flags.ts";
import { readPlainFlags } from "./plain-flags.ts";
import { readRemote } from "./remote-flags.ts";

export type RequestBody = OperationInput<"createWorkload">["body"];

/** @throws {ThvError} `USAGE` naming every mistake; `INVALID_ARGUMENT` for a file of `--from-config`. */
export async function requestBody(input: RunInput, context: CommandContext): Promise<RequestBody> {
  await refusePastedCommand(input);
  const { flags, problems } = await readFlags(input, context);
  if (input.isGiven("envFile")) context.terminal.info(OLD_ENV_FILE);
  if (input.isGiven("port")) context.terminal.info("--port is the old name of --proxy-port, and will go.");
  if (problems.length > 0) {
    const all = [...problems, ...(await problemsInFlags({ ...flags, image: input.positionals[0] }))];
    throw new ThvError("USAGE", `${all.join("; ")}.`, { hint: "See: thv run --help" });
  }
  const path = input.fromConfig;
  if (path === undefined) return { ...DEFAULTS, ...flags, image: resolveFolder(input.positionals[0] ?? "") };
  return withFlags(await readConfigFile(path, context), flags);
}

/** What is wrong with those flags that could be read, when others could not. */
export const checkFlags: CommandCheck<typeof RUN> = async (input, context) => {
  const { flags, problems } = await readFlags(input, context);
  return [...problems, ...(await problemsInFlags({ ...flags, image: input.positionals[0] }))];
};

const OLD_ENV_FILE =
  "--env-file is the old name of --env-from, and will go. Node.js, in which thv runs, also reads it: NODE_OPTIONS in that file has applied to thv itself.";

const DEFAULTS = { host: "127.0.0.1", proxy_mode: "streamable-http" } as const;

interface ReadFlags {
  /** What flags say, and nothing for what they leave open. */
  readonly flags: Omit<RequestBody, "image">;
  readonly problems: readonly string[];
}

/** @param options `keepsFalse`: whether a switch that is given as false is a setting, because it replaces one. */
export async function readFlags(
  input: RunInput,
  { env }: CommandContext,
  options: { readonly keepsFalse?: boolean } = {},
): Promise<ReadFlags> {
  const problems: string[] = [];
  const [image] = input.positionals;
  const isFromFile = input.isGiven("fromConfig");
  if (!isFromFile && image === undefined) problems.push("thv run needs SERVER_OR_IMAGE_OR_PACKAGE or --from-config");
  if (isFromFile && image !== undefined) problems.push(`thv run does not take "${image}" beside --from-config`);
  const proxyPort = input.proxyPort ?? input.port;
  const secrets = input.secret.flatMap((text) => readSecretReference(text, problems));
  const variables = await readVariables(input, env, problems);
  const labels = readLabels(input.label, problems);
  const allowedHosts = readAllowedHosts(input.allowedHost, problems);
  const sleepAfter = readSleepTime(input, problems);
  const permissions = await readPermissions(input, problems);
  const tools = await readTools(input, problems);
  const plain = readPlainFlags(input, options);
  const remote = readRemote(input, problems);
  const flags = {
    ...plain,
    ...(allowedHosts.length > 0 && { allowed_hosts: allowedHosts }),
    ...(proxyPort !== undefined && { proxy_port: proxyPort }),
    ...(input.rest.length > 0 && { cmd_arguments: [...input.rest] }),
    ...(variables.length > 0 && { env_vars: variables }),
    ...(secrets.length > 0 && { secrets }),
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
    ...(sleepAfter !== undefined && { sleep_after_seconds: sleepAfter }),
    ...permissions,
    ...tools,
    ...remote,
  };
  return { flags, problems };
}

export function readSecretReference(text: string, problems: string[]): { name: string; target: string }[] {
  const [, name, target] = /^([^,]+),target=(.+)$/s.exec(text) ?? [];
  if (name !== undefined && target !== undefined) return [{ name, target }];
  problems.push(`--secret is "${text}" but must be NAME,target=VARIABLE`);
  return [];
}

/** @returns Seconds. */
function readSleepTime({ sleepAfter }: RunInput, problems: string[]): number | undefined {
  if (sleepAfter !== undefined && (sleepAfter < 0 || sleepAfter % 1_000 !== 0))
    problems.push("--sleep-after must be whole seconds, such as 90s or 10m, or 0 for never");
  return sleepAfter === undefined ? undefined : Math.round(sleepAfter / 1_000);
}

/** A folder is given relative to here; the supervisor is somewhere else. */
export function resolveFolder(image: string): string {
  const folder = findRelativeFolder(image);
  return folder === undefined ? image : `go://${resolve(folder)}`;
}
