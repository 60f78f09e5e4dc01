/** The flags of `thv run` as a create request. Everything that can be checked without the supervisor is, and told together. */
import { resolve } from "node:path";
import type { OperationInput } from "@toolhive/api/client";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command.ts";
import type { ParsedInput } from "../../parse.ts";
import { readLabels } from "../label-flag.ts";
import { readVariables } from "./env-flags.ts";
import { readSandbox } from "./sandbox-flags.ts";

export type RequestBody = OperationInput<"createWorkload">["body"];

/** @throws {ThvError} `USAGE` naming every mistake. */
export async function requestBody(input: ParsedInput, { env, terminal }: CommandContext): Promise<RequestBody> {
  const problems: string[] = [];
  const proxyPort = portFlag("proxy-port", input, problems) ?? portFlag("port", input, problems);
  if (input.int("port") !== undefined) terminal.note("--port is the old name of --proxy-port, and will go.");
  const targetPort = portFlag("target-port", input, problems);
  const secrets = input.strings("secret").flatMap((text) => readSecret(text, problems));
  const variables = await readVariables(input, env, problems);
  const labels = readLabels(input.strings("label"), problems);
  const sandbox = readSandbox(input, problems);
  if (problems.length > 0) {
    throw new ThvError("USAGE", `${problems.join("; ")}.`, { hint: "See: thv run --help" });
  }
  const name = input.string("name");
  const transport = input.string("transport");
  const caCertificate = input.string("ca-cert");
  return {
    image: wholePath(input.positionals[0] ?? ""),
    ...(name !== undefined && { name }),
    host: input.string("host") ?? "127.0.0.1",
    ...(proxyPort !== undefined && { proxy_port: proxyPort }),
    ...(targetPort !== undefined && { target_port: targetPort }),
    ...(transport !== undefined && { transport }),
    proxy_mode: input.string("proxy-mode") ?? "streamable-http",
    cmd_arguments: [...input.rest],
    env_vars: variables,
    secrets,
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
    ...sandbox,
    ...(caCertificate !== undefined && { ca_certificate: resolve(caCertificate) }),
  };
}

function portFlag(name: string, input: ParsedInput, problems: string[]): number | undefined {
  const port = input.int(name);
  if (port !== undefined && (port < 1 || port > 65535)) {
    problems.push(`--${name} is "${port}", but has to be between 1 and 65535`);
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
