/**
 * Turns a create request into a server of a project file: the reverse of `toRequest`. A project file is shown, kept under version control
 * and passed on: what looks secret is left out, and each thing that is left out has its reason.
 */

import { formatSecretName } from "../client-import/server-name.ts";
import { BUILT_IN_PROFILES } from "../permissions/permission-profile.ts";
import { findSecretArgument, hasSecretAddress, isSecretLike } from "../secrets/secret-like.ts";
import { formatSeconds } from "../support/duration.ts";
import { isRemoteTarget } from "../target/target.ts";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import { PROJECT_LABEL } from "../workload/labels.ts";
import { formatMemory } from "../workload/resource-limits.ts";
import type { ProjectAccess, ProjectEntry } from "./project-schema.ts";

/** What is not in the file. `reason` is a sentence without a full stop. */
export interface LeftOut {
  readonly member: string;
  readonly reason: string;
}

export interface WrittenEntry {
  readonly entry: ProjectEntry;
  readonly leftOut: readonly LeftOut[];
}

/** The values of members for which nobody has chosen another one. */
const DEFAULTS: Partial<CreateRequest> = { host: "127.0.0.1", proxy_mode: "streamable-http" };

/**
 * @param options `keepsValues`: whether what looks secret stays in it, for a text that its user alone sees.
 * @returns The entry; or why the file cannot hold the server, as half a sentence.
 */
export function toProjectEntry(
  request: CreateRequest,
  groups: readonly string[],
  { keepsValues = false }: { readonly keepsValues?: boolean } = {},
): WrittenEntry | string {
  const { image, url, name = "", group: _group, cmd_arguments: args = [], ...more } = dropDefaults(request);
  const { env_vars: variables = [], secrets = [], permission_profile: profile, volumes, limits, ...others } = more;
  const { sleep_after_seconds: sleepAfter, pull_policy: pull, labels = {}, ca_certificate, ...rest } = others;
  const { header_forward: headers = {}, oauth_config, allow_insecure_http, ...further } = rest;
  const { network_isolation, learn_network, proxy_port: port, target_port: target, ...furthest } = further;
  const { oidc, thv_ca_bundle, jwks_auth_token_file, jwks_allow_private_ip, ...last } = furthest;
  const { authz_config, audit_config, enable_audit, telemetry, transport, proxy_mode, ...same } = last;
  const run = url || image;
  const reason = keepsValues ? undefined : findSecret(run, args);
  if (reason !== undefined) return reason;
  const leftOut: LeftOut[] = [];
  const splitValues = (member: string, values: Readonly<Record<string, string>>) =>
    keepsValues ? { plain: values, stored: {} } : splitSecrets(name, member, values, leftOut);
  const env = splitValues("env", readVariables(variables));
  const plain = splitValues("remote_forward_headers", headers.add_plaintext_headers ?? {});
  const stored = Object.fromEntries(secrets.map((secret) => [secret.target, secret.name]));
  const { [PROJECT_LABEL]: _project, ...ownLabels } = labels;
  const isBuiltIn =
    profile && Object.keys(profile).length === 1 && BUILT_IN_PROFILES.some((each) => each === profile.name);
  const access = dropEmpty({
    oidc,
    ...{ thv_ca_bundle, jwks_auth_token_file, jwks_allow_private_ip, authz_config, audit_config, enable_audit },
    telemetry: telemetry && (keepsValues ? telemetry : writeTelemetry(telemetry, leftOut)),
  }) as ProjectAccess;
  // A member that is added to requests alone fails to compile here.
  void (same satisfies { [Member in Exclude<keyof typeof same, keyof ProjectEntry>]: never });
  const entry = dropEmpty({
    run,
    args,
    env: env.plain,
    secrets: { ...stored, ...env.stored },
    transport,
    proxy_mode,
    proxy_port: port || undefined,
    target_port: target || undefined,
    ...(isBuiltIn ? { permission_profile: profile.name } : { permissions: profile }),
    isolate_network: network_isolation,
    learn: learn_network,
    volumes,
    memory: limits?.memory_bytes === undefined ? undefined : formatMemory(limits.memory_bytes),
    cpus: limits?.cpus,
    pids_limit: limits?.pids,
    ...same,
    sleep_after: sleepAfter === undefined ? undefined : formatSeconds(sleepAfter),
    pull,
    ca_cert: ca_certificate,
    access,
    groups: groups.filter((each) => each !== "default").length > 0 ? [...groups] : undefined,
    labels: ownLabels,
    remote_forward_headers: plain.plain,
    remote_forward_headers_secret: { ...headers.add_headers_from_secret, ...plain.stored },
    remote_auth: oauth_config && (keepsValues ? oauth_config : writeSignIn(oauth_config, leftOut)),
    remote_allow_http: allow_insecure_http,
  });
  return { entry: entry as ProjectEntry, leftOut };
}

function dropDefaults(request: CreateRequest): CreateRequest {
  const members = Object.entries(request).filter(([name, value]) => DEFAULTS[name as keyof CreateRequest] !== value);
  return { ...Object.fromEntries(members), image: request.image };
}

/** Omits members that say nothing: absent ones, empty lists and objects, empty texts. */
function dropEmpty(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isSaid = (value: unknown) =>
    typeof value === "object" && value !== null ? Object.keys(value).length > 0 : value !== undefined && value !== "";
  return Object.fromEntries(Object.entries(members).filter(([, value]) => isSaid(value)));
}

function readVariables(variables: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    variables.map((text) => {
      const at = text.indexOf("=");
      return [text.slice(0, at), text.slice(at + 1)] as const;
    }),
  );
}

/** @returns Why a file cannot hold it, as half a sentence. */
function findSecret(run: string, args: readonly string[]): string | undefined {
  if (isRemoteTarget(run) && hasSecretAddress(run))
    return "its address holds something that looks secret: send that in a header from a secret";
  const argument = findSecretArgument(args);
  return argument && `its argument ${argument} looks secret: give it as a variable from a secret`;
}

function splitSecrets(server: string, member: string, values: Readonly<Record<string, string>>, leftOut: LeftOut[]) {
  const plain: Record<string, string> = {};
  const stored: Record<string, string> = {};
  for (const [target, value] of Object.entries(values)) {
    if (!isSecretLike(target, value)) plain[target] = value;
    else {
      const secret = formatSecretName(server, target);
      stored[target] = secret;
      const reason = `its value looks secret; store it on each machine: thv secret set ${secret}`;
      leftOut.push({ member: `${member}.${target}`, reason });
    }
  }
  return { plain, stored };
}

function writeTelemetry(telemetry: NonNullable<ProjectAccess["telemetry"]>, leftOut: LeftOut[]) {
  const { headers = [], ...others } = telemetry;
  if (headers.length > 0)
    leftOut.push({ member: "access.telemetry.headers", reason: "they may hold a key: add them on each machine" });
  return dropEmpty(others);
}

function writeSignIn(signIn: NonNullable<ProjectEntry["remote_auth"]>, leftOut: LeftOut[]) {
  const { oauth_params: parameters = {}, ...others } = signIn;
  const kept = Object.entries(parameters).filter(([name, value]) => {
    if (!isSecretLike(name, value)) return true;
    leftOut.push({ member: `remote_auth.oauth_params.${name}`, reason: "its value looks secret" });
    return false;
  });
  // Without a member of it, it still says that the server is signed in at.
  return { ...others, ...(kept.length > 0 && { oauth_params: Object.fromEntries(kept) }) };
}
