/** Project files that extend others: what they say together. The later file wins, member by member; a list is replaced whole. */
import { isAbsolute, relative, resolve } from "node:path";
import { isRecord } from "@toolhive/http/values";
import { formatMountDeclaration, parseMountDeclaration } from "../permissions/mount-declaration.ts";
import { findRelativeFolder } from "../target/target.ts";

/** Only one of the two can be given: the later file's takes the place of the earlier one's. */
const ALTERNATIVES = [
  ["permission_profile", "permissions"],
  ["permissions", "permission_profile"],
] as const;

const FILE_MEMBERS = ["authz_config", "audit_config", "thv_ca_bundle", "jwks_auth_token_file"];

/** @param later What wins. Both are as they were read: nothing of them has been checked. */
export function mergeProjects(earlier: unknown, later: unknown): unknown {
  if (!isRecord(earlier) || !isRecord(later)) return later;
  const merged = mergeMembers(earlier, later);
  if (!isRecord(earlier.servers) || !isRecord(later.servers)) return merged;
  const { servers } = earlier;
  const ofLater = later.servers;
  const cleaned = mapMembers(servers, (entry, name) =>
    dropReplaced(entry, Object.hasOwn(ofLater, name) ? ofLater[name] : undefined),
  );
  return { ...merged, servers: mergeMembers(cleaned, ofLater) };
}

function mergeMembers(earlier: Record<string, unknown>, later: Record<string, unknown>): Record<string, unknown> {
  const names = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  const merged = [...names].map((name) => {
    const [old, next] = [earlier, later].map((each) => (Object.hasOwn(each, name) ? each[name] : undefined));
    if (!Object.hasOwn(later, name)) return [name, old] as const;
    return [name, isRecord(old) && isRecord(next) ? mergeMembers(old, next) : next] as const;
  });
  return Object.fromEntries(merged);
}

function dropReplaced(earlier: unknown, later: unknown): unknown {
  if (!isRecord(earlier) || !isRecord(later)) return earlier;
  const replaced = ALTERNATIVES.flatMap(([given, other]) => (Object.hasOwn(later, given) ? [other as string] : []));
  return Object.fromEntries(Object.entries(earlier).filter(([member]) => !replaced.includes(member)));
}

/** The same with relative paths that begin at another folder: that of the file that extends it. */
export function moveProject(value: unknown, from: string, to: string): unknown {
  if (from === to || !isRecord(value) || !isRecord(value.servers)) return value;
  return {
    ...value,
    servers: mapMembers(value.servers, (entry) => moveServer(entry, (path) => movePath(path, from, to))),
  };
}

type Move = (path: string) => string;

function moveServer(entry: unknown, move: Move): unknown {
  if (!isRecord(entry)) return entry;
  const moved = { ...entry };
  const change = (owner: Record<string, unknown>, member: string, work: (text: string) => string) => {
    const found = owner[member];
    if (typeof found === "string") owner[member] = work(found);
    if (Array.isArray(found))
      owner[member] = found.map((item: unknown) => (typeof item === "string" ? work(item) : item));
  };
  change(moved, "run", (run) => moveFolder(run, move));
  change(moved, "volumes", (text) => moveMount(text, move));
  change(moved, "ca_cert", move);
  if (isRecord(entry.permissions)) {
    const permissions = { ...entry.permissions };
    for (const member of ["read", "write"]) change(permissions, member, (text) => moveMount(text, move));
    moved.permissions = permissions;
  }
  if (isRecord(entry.access)) {
    const access = { ...entry.access };
    const moveFile: Move = (text) => (text.trimStart().startsWith("{") ? text : move(text));
    for (const member of FILE_MEMBERS) change(access, member, moveFile);
    moved.access = access;
  }
  return moved;
}

function moveFolder(run: string, move: Move): string {
  const folder = findRelativeFolder(run);
  return folder === undefined ? run : `go://${move(folder)}`;
}

function moveMount(text: string, move: Move): string {
  const declaration = parseMountDeclaration(text);
  if (typeof declaration === "string") return text;
  return formatMountDeclaration({ ...declaration, source: move(declaration.source) });
}

function movePath(path: string, from: string, to: string): string {
  if (isAbsolute(path)) return path;
  const moved = relative(to, resolve(from, path));
  return moved.startsWith(".") || isAbsolute(moved) ? moved : `./${moved}`;
}

function mapMembers(
  members: Record<string, unknown>,
  work: (value: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, work(value, name)]));
}
