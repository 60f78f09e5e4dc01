/** A server of a project file as the request that creates it. */
import { isAbsolute, resolve } from "node:path";
import { quote } from "@toolhive/http/values";
import { formatMountDeclaration, parseMountDeclaration, resolveSource } from "../permissions/mount-declaration.ts";
import type { PermissionProfile } from "../registry/registry-schema.ts";
import { parseDuration } from "../support/duration.ts";
import { findRelativeFolder } from "../target/target.ts";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import { PROJECT_LABEL } from "../workload/labels.ts";
import { parseMemory } from "../workload/resource-limits.ts";
import type { ProjectAccess, ProjectEntry } from "./project-schema.ts";

export interface Conversion {
  /** Where relative paths begin; absent for a text that is in no file. */
  readonly folder: string | undefined;
  readonly label: string;
  readonly report: (sentence: string, ...member: string[]) => void;
}

export function toRequest(name: string, entry: ProjectEntry, { folder, label, report }: Conversion): CreateRequest {
  const { run, args, env, secrets, permission_profile: profile, permissions, volumes, ...more } = entry;
  const { memory, cpus, pids_limit: pids, sleep_after: sleepAfter, pull, labels, groups: _groups, ...others } = more;
  const { isolate_network: isIsolated, remote_forward_headers: headers, learn, access, ...rest } = others;
  const { remote_forward_headers_secret: secretHeaders, ca_cert: certificate, ...further } = rest;
  const { remote_auth: signIn, remote_allow_http: allowsHttp, ...same } = further;
  if (labels !== undefined && PROJECT_LABEL in labels) report(`the label ${PROJECT_LABEL} is set by thv up`, "labels");
  const whole = (member: string) => (text: string) => makeWhole(text, folder, (sentence) => report(sentence, member));
  const resolvePath = (text: string, ...member: string[]) =>
    makeAbsolute(text, folder, (sentence) => report(sentence, ...member));
  const limits = {
    ...(memory !== undefined && { memory_bytes: parseMemory(memory) ?? 0 }),
    ...(cpus !== undefined && { cpus }),
    ...(pids !== undefined && { pids }),
  };
  const forwarded = {
    ...(headers && { add_plaintext_headers: headers }),
    ...(secretHeaders && { add_headers_from_secret: secretHeaders }),
  };
  // A member that is added to the schema alone fails to compile here.
  void (same satisfies { [Member in Exclude<keyof typeof same, keyof CreateRequest>]: never });
  return {
    ...same,
    name,
    image: resolveFolder(run, folder, (sentence) => report(sentence, "run")),
    ...(args && { cmd_arguments: args }),
    ...(env && { env_vars: Object.entries(env).map(([key, value]) => `${key}=${value}`) }),
    ...(secrets && { secrets: Object.entries(secrets).map(([target, secret]) => ({ name: secret, target })) }),
    ...(profile && { permission_profile: { name: profile } }),
    ...(permissions && { permission_profile: withWholeMounts(permissions, whole("permissions")) }),
    ...(isIsolated !== undefined && { network_isolation: isIsolated }),
    ...(learn !== undefined && { learn_network: learn }),
    ...(volumes && { volumes: volumes.map(whole("volumes")) }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(sleepAfter !== undefined && { sleep_after_seconds: Math.round((parseDuration(sleepAfter) ?? 0) / 1_000) }),
    ...(pull && { pull_policy: pull }),
    ...(certificate !== undefined && { ca_certificate: resolvePath(certificate, "ca_cert") }),
    ...(Object.keys(forwarded).length > 0 && { header_forward: forwarded }),
    ...(signIn && { oauth_config: signIn }),
    ...(allowsHttp !== undefined && { allow_insecure_http: allowsHttp }),
    ...(access && withWholeFiles(access, resolvePath)),
    labels: { ...labels, [PROJECT_LABEL]: label },
  };
}

/** The supervisor is somewhere else than the file. */
function resolveFolder(run: string, folder: string | undefined, report: (sentence: string) => void): string {
  const relative = findRelativeFolder(run);
  return relative === undefined ? run : `go://${makeAbsolute(relative, folder, report)}`;
}

function makeAbsolute(path: string, folder: string | undefined, report: (sentence: string) => void): string {
  if (folder !== undefined) return resolve(folder, path);
  if (!isAbsolute(path)) report(`${quote(path, 100)} begins at the file, and this text is in none: name the file`);
  return path;
}

/** Members of `access` that name a file, or have its JSON as their value. */
const INLINE_FILES = ["authz_config", "audit_config"] as const;
/** Members of `access` that name a file. */
const FILES = [...INLINE_FILES, "thv_ca_bundle", "jwks_auth_token_file"] as const;

function withWholeFiles(
  access: ProjectAccess,
  resolvePath: (text: string, ...member: string[]) => string,
): ProjectAccess {
  const files = FILES.flatMap((member) => {
    const text = access[member];
    const isInline = INLINE_FILES.some((each) => each === member) && text?.trimStart().startsWith("{");
    return text === undefined || isInline ? [] : [[member, resolvePath(text, "access", member)] as const];
  });
  return { ...access, ...Object.fromEntries(files) };
}

function withWholeMounts(profile: PermissionProfile, makeItWhole: (text: string) => string): PermissionProfile {
  const { read, write } = profile;
  return {
    ...profile,
    ...(read && { read: read.map(makeItWhole) }),
    ...(write && { write: write.map(makeItWhole) }),
  };
}

function makeWhole(text: string, folder: string | undefined, report: (sentence: string) => void): string {
  const declaration = parseMountDeclaration(text);
  if (typeof declaration === "string") report(declaration);
  else if (folder !== undefined) return formatMountDeclaration(resolveSource(declaration, folder));
  else if (isAbsolute(declaration.source)) return formatMountDeclaration(declaration);
  else makeAbsolute(declaration.source, folder, report);
  // Reported once: this value in its place is valid.
  return "/absent:/absent";
}
