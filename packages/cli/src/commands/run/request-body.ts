/** The flags of `thv run` as a create request. Everything that can be checked without the supervisor is, and told together. */
import { resolve } from "node:path";
import type { OperationInput } from "@toolhive/api/client";
import { readAllowedHosts } from "@toolhive/core/allowed-hosts";
import { ThvError } from "@toolhive/core/errors";
import type { CommandCheck, CommandContext } from "../../command-line/command.ts";
import type { ParsedInput } from "../../command-line/parse.ts";
import { readLabels } from "../shared/label-flag.ts";
import { readAccess } from "./access-flags.ts";
import { readConfigFile, withFlags } from "./config-file.ts";
import { readVariables } from "./env-flags.ts";
import { problemsInFlags } from "./flag-problems.ts";
import { readPermissions } from "./permission-flags.ts";
import { readSandbox } from "./sandbox-flags.ts";

export type RequestBody = OperationInput<"createWorkload">["body"];

/** @throws {ThvError} `USAGE` naming every mistake; `INVALID_ARGUMENT` for a file of `--from-config`. */
export async function requestBody(input: ParsedInput, context: CommandContext): Promise<RequestBody> {
  const { flags, problems } = await readFlags(input, context);
  if (input.isGiven("port")) context.terminal.note("--port is the old name of --proxy-port, and will go.");
  if (problems.length > 0) {
    const all = [...problems, ...(await problemsInFlags(flags))];
    throw new ThvError("USAGE", `${all.join("; ")}.`, { hint: "See: thv run --help" });
  }
  const path = input.string("from-config");
  if (path === undefined) return { ...DEFAULTS, ...flags, image: wholePath(input.positionals[0] ?? "") };
  return withFlags(await readConfigFile(path, context), flags);
}

/** What is wrong with those flags that could be read, when others could not. */
export const checkFlags: CommandCheck = async (input, context) => {
  const { flags, problems } = await readFlags(input, context);
  return [...problems, ...(await problemsInFlags(flags))];
};

const DEFAULTS = { host: "127.0.0.1", proxy_mode: "streamable-http" } as const;

interface ReadFlags {
  /** What flags say, and nothing for what they leave open. */
  readonly flags: Omit<RequestBody, "image">;
  readonly problems: readonly string[];
}

async function readFlags(input: ParsedInput, { env }: CommandContext): Promise<ReadFlags> {
  const problems: string[] = [];
  const [image] = input.positionals;
  const isFromFile = input.isGiven("from-config");
  if (!isFromFile && image === undefined) problems.push("thv run needs SERVER_OR_IMAGE_OR_PACKAGE or --from-config");
  if (isFromFile && image !== undefined) problems.push(`thv run does not take "${image}" beside --from-config`);
  const proxyPort = portFlag("proxy-port", input, problems) ?? portFlag("port", input, problems);
  const targetPort = portFlag("target-port", input, problems);
  const secrets = input.strings("secret").flatMap((text) => readSecret(text, problems));
  const variables = await readVariables(input, env, problems);
  const labels = readLabels(input.strings("label"), problems);
  const sandbox = readSandbox(input, problems);
  const allowedHosts = readAllowedHosts(input.strings("allowed-host"), problems);
  const permissions = await readPermissions(input, problems);
  const given = (name: string) => (input.isGiven(name) ? input.string(name) : undefined);
  const name = given("name");
  const host = given("host");
  const targetHost = given("target-host");
  const transport = given("transport");
  const proxyMode = given("proxy-mode");
  // The values of the flag are checked when it is parsed.
  const imageVerification = given("image-verification") as RequestBody["image_verification"];
  const pullPolicy = given("pull") as RequestBody["pull_policy"];
  const caCertificate = given("ca-cert");
  const flags = {
    ...(name !== undefined && { name }),
    ...(host !== undefined && { host }),
    ...(allowedHosts.length > 0 && { allowed_hosts: allowedHosts }),
    ...(proxyPort !== undefined && { proxy_port: proxyPort }),
    ...(targetPort !== undefined && { target_port: targetPort }),
    ...(targetHost !== undefined && { target_host: targetHost }),
    ...(transport !== undefined && { transport }),
    ...(proxyMode !== undefined && { proxy_mode: proxyMode }),
    ...(input.rest.length > 0 && { cmd_arguments: [...input.rest] }),
    ...(variables.length > 0 && { env_vars: variables }),
    ...(secrets.length > 0 && { secrets }),
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
    ...permissions,
    ...sandbox,
    ...(pullPolicy !== undefined && { pull_policy: pullPolicy }),
    ...(imageVerification !== undefined && { image_verification: imageVerification }),
    ...readAccess(input),
    ...(caCertificate !== undefined && { ca_certificate: resolve(caCertificate) }),
  };
  return { flags, problems };
}

function portFlag(name: string, input: ParsedInput, problems: string[]): number | undefined {
  const port = input.int(name);
  if (port !== undefined && (port < 1 || port > 65535)) {
    problems.push(`--${name} is "${port}", but has to be between 1 and 65535`);
    return undefined;
  }
  return port;
}

function readSecret(text: string, problems: string[]): { name: string; target: string }[] {
  const [, name, target] = /^([^,]+),target=(.+)$/s.exec(text) ?? [];
  if (name !== undefined && target !== undefined) return [{ name, target }];
  problems.push(`--secret is "${text}", but has to be NAME,target=VARIABLE`);
  return [];
}

/** A folder is given relative to here; the supervisor is somewhere else. */
function wholePath(image: string): string {
  const folder = /^go:\/\/(\.{1,2}(?:\/.*)?)$/s.exec(image)?.[1];
  return folder === undefined ? image : `go://${resolve(folder)}`;
}
