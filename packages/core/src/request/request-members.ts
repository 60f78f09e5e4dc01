/**
 * What the members of a create request are called elsewhere, the flag of `thv run` and the member of a project file, and how people
 * write their values. A member without a row is called the same in all three: `target_port`, `--target-port`, `target_port`.
 * Nothing here needs Node.js.
 */
import { formatSeconds } from "../support/duration.ts";
import { formatMemory } from "../workload/resource-limits.ts";

export interface MemberNames {
  /** Absent where no flag sets it. */
  readonly flag?: string;
  /** Absent where a project file cannot say it. */
  readonly file?: string;
  /** Of a number that people write in another form. */
  readonly unit?: keyof typeof UNITS;
}

/** A number of each unit in the form in which people write it: `1m30s`, `512m`. */
const UNITS = { seconds: formatSeconds, bytes: formatMemory };

/** The member of a project file in which the members about access are called as in a request. */
const ACCESS = "access";

/** By path, in the order in which a command has the flags; `*` matches any name, which is written with dashes in the flag. */
const ROWS = new Map<string, MemberNames>([
  ["image", { file: "run" }],
  ["url", { file: "run" }],
  ["name", { flag: "--name" }],
  ["transport", { flag: "--transport", file: "transport" }],
  ["target_port", { flag: "--target-port", file: "target_port" }],
  ["host", { flag: "--host", file: "host" }],
  ["allowed_hosts", { flag: "--allowed-host", file: "allowed_hosts" }],
  ["target_host", { flag: "--target-host", file: "target_host" }],
  ["cmd_arguments", { flag: "-- ARGUMENTS", file: "args" }],
  ["env_vars", { flag: "--env", file: "env" }],
  ["secrets", { flag: "--secret", file: "secrets" }],
  ["base_image", { flag: "--base-image", file: "base_image" }],
  ["with", { flag: "--with", file: "with" }],
  ["ca_certificate", { flag: "--ca-cert", file: "ca_cert" }],
  ["labels", { flag: "--label", file: "labels" }],
  ["group", { flag: "--group", file: "groups" }],
  ["network_isolation", { flag: "--isolate-network", file: "isolate_network" }],
  ["learn_network", { flag: "--learn", file: "learn" }],
  ["volumes", { flag: "--volume", file: "volumes" }],
  ["limits", { flag: "a limit (--memory, --cpus, --pids-limit)", file: "memory" }],
  ["limits.memory_bytes", { flag: "--memory", file: "memory", unit: "bytes" }],
  ["limits.cpus", { flag: "--cpus", file: "cpus" }],
  ["limits.pids", { flag: "--pids-limit", file: "pids_limit" }],
  ["pull_policy", { flag: "--pull", file: "pull" }],
  ["image_digest", { file: "image_digest" }],
  ["provenance", { file: "provenance" }],
  ["sleep_after_seconds", { flag: "--sleep-after", file: "sleep_after", unit: "seconds" }],
  ["oauth_config", { flag: "--remote-auth", file: "remote_auth" }],
  ["oauth_config.required", { flag: "--remote-auth", file: "remote_auth" }],
  ["oauth_config.use_pkce", { file: "remote_auth" }],
  ["oauth_config.oauth_params", { file: "remote_auth" }],
  ["oauth_config.*", { flag: "--remote-auth-*" }],
  ["header_forward", { flag: "--remote-forward-headers", file: "remote_forward_headers" }],
  [
    "header_forward.add_headers_from_secret",
    { flag: "--remote-forward-headers-secret", file: "remote_forward_headers_secret" },
  ],
  ["allow_insecure_http", { flag: "--remote-allow-http", file: "remote_allow_http" }],
  ["oidc", { file: ACCESS }],
  ["oidc.scopes", { file: ACCESS }],
  ["oidc.*", { flag: "--oidc-*" }],
  ["oidc.allow_opaque_tokens", { flag: "--oidc-skip-opaque-token-validation", file: ACCESS }],
  ["thv_ca_bundle", { flag: "--thv-ca-bundle", file: ACCESS }],
  ["jwks_auth_token_file", { flag: "--jwks-auth-token-file", file: ACCESS }],
  ["jwks_allow_private_ip", { flag: "--jwks-allow-private-ip", file: ACCESS }],
  ["authz_config", { flag: "--authz-config", file: ACCESS }],
  ["audit_config", { flag: "--audit-config", file: ACCESS }],
  ["enable_audit", { flag: "--enable-audit", file: ACCESS }],
  ["telemetry", { file: ACCESS }],
  ["telemetry.*", { flag: "--otel-*" }],
  ["telemetry.prometheus_path", { flag: "--otel-enable-prometheus-metrics-path", file: ACCESS }],
]);

/** @param path Of a member of a request, or of something in it. */
export function findMemberNames(path: readonly string[]): MemberNames {
  for (let length = path.length; length > 0; length--) {
    const names = ROWS.get(path.slice(0, length).join("."));
    if (names !== undefined) return names;
    const owner = path.slice(0, length - 1);
    const { flag } = ROWS.get([...owner, "*"].join(".")) ?? {};
    const { file } = ROWS.get(owner.join(".")) ?? {};
    if (flag !== undefined)
      return { flag: flag.replace("*", formatDashes(path[length - 1] ?? "")), ...(file !== undefined && { file }) };
  }
  const [member] = path;
  return member === undefined ? {} : { flag: `--${formatDashes(member)}`, file: member };
}

/** @param path Of the member that has the value. @returns The value in the form in which people write it. */
export function formatMember(path: readonly string[], value: unknown): string {
  const { unit } = ROWS.get(path.join(".")) ?? {};
  return unit !== undefined && typeof value === "number" ? UNITS[unit](value) : String(value);
}

/** The member that a flag of `thv run` sets. @param flag With its dashes. */
export function findMemberPath(flag: string): string[] {
  const rows = [...ROWS].filter(([, names]) => names.flag === flag).map(([path]) => path.split("."));
  const [own] = rows.sort((left, right) => right.length - left.length);
  if (own !== undefined) return own;
  for (const [path, { flag: pattern = "" }] of ROWS) {
    const begin = pattern.endsWith("*") ? pattern.slice(0, -1) : flag;
    if (flag !== begin && flag.startsWith(begin))
      return [...path.split(".").slice(0, -1), formatUnderscores(flag.slice(begin.length))];
  }
  return [formatUnderscores(flag.slice(2))];
}

/** The members of a request as a command has their flags: those with a row first. */
export function sortMembers(members: readonly string[]): string[] {
  const order = [...ROWS.keys()];
  const rank = (member: string) => (order.includes(member) ? order.indexOf(member) : order.length);
  return [...members].sort((left, right) => rank(left) - rank(right));
}

/** The place in a server of a project file that a member of a request is made from; `[]` for the server itself. */
export function toFilePath(path: readonly string[]): string[] {
  const { file } = findMemberNames(path);
  if (file === undefined) return [];
  if (file === ACCESS) return [ACCESS, ...path];
  if (file === "remote_auth") return [file, ...path.slice(1)];
  // Where the two are called the same, they are of the same form.
  return file === path[0] ? [...path] : [file];
}

function formatUnderscores(name: string): string {
  return name.replaceAll("-", "_");
}

function formatDashes(name: string): string {
  return name.replaceAll("_", "-");
}
