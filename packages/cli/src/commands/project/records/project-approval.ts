/**
 * What a person has allowed to the servers of a project file, kept in the state directory: no file in the project's own folder
 * counts as an answer.
 */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { atomicWrite, type Grant, isSharedReference } from "@toolhive/core";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { resolveDirectories } from "@toolhive/core/directories";
import type { GrantedServer } from "../../shared/questions/confirm-grants.ts";

export interface Approval {
  /** Of the project file, as it was when somebody answered. */
  readonly path: string;
  /** Lines that were allowed, by the server's name. */
  readonly servers: Readonly<Record<string, readonly string[]>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

function placeApproval(label: string, env: Environment): string {
  return join(resolveDirectories({ env }).state, "projects", `${label}.json`);
}

/** @returns `undefined` where nothing was allowed, or where that cannot be read: then it is asked again. */
export async function readApproval(label: string, env: Environment): Promise<Approval | undefined> {
  try {
    const value: unknown = JSON.parse(await readBoundedText(placeApproval(label, env)));
    return isApproval(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Where the file of a project was when `thv up` last ran, and whether it exists. */
export async function findProjectFile(
  label: string,
  env: Environment,
): Promise<{ readonly path: string | undefined; readonly isThere: boolean }> {
  const path = (await readApproval(label, env))?.path;
  // Whether the image registry still has it is not asked.
  if (path !== undefined && isSharedReference(path)) return { path, isThere: true };
  const isThere =
    path !== undefined &&
    (await access(path).then(
      () => true,
      () => false,
    ));
  return { path, isThere };
}

function isApproval(value: unknown): value is Approval {
  if (typeof value !== "object" || value === null || !("path" in value) || !("servers" in value)) return false;
  const { path, servers } = value;
  return (
    typeof path === "string" &&
    typeof servers === "object" &&
    servers !== null &&
    Object.values(servers).every(
      (lines: unknown) => Array.isArray(lines) && lines.every((line) => typeof line === "string"),
    )
  );
}

/**
 * The present grants of these servers replace their allowed ones; other servers keep theirs. @throws {ThvError} `FILE_FAILED`.
 */
export async function saveApproval(
  { path, label }: { readonly path: string; readonly label: string },
  before: Approval | undefined,
  servers: readonly GrantedServer[],
  env: Environment,
): Promise<void> {
  const added = servers.map(({ name, grants }) => [name, grants.map(formatLine)] as const);
  const kept = Object.entries(before?.servers ?? {});
  const approval: Approval = { path, servers: Object.fromEntries([...kept, ...added]) };
  await atomicWrite(placeApproval(label, env), `${JSON.stringify(approval, null, 2)}\n`);
}

/** What a server or a group would get, and what it has now. */
export interface GrantedStep {
  readonly name: string;
  /** Absent where all stays as it is. */
  readonly grants?: readonly Grant[];
  readonly presentGrants?: readonly Grant[];
  readonly warnings: readonly string[];
}

/**
 * The servers whose grants no user has allowed: new ones, and those that would get more. A server's present grants count as a
 * whole, and so do its allowed ones; never some of the one and some of the other.
 */
export function listUnapproved(steps: readonly GrantedStep[], approval: Approval | undefined): GrantedServer[] {
  return steps.flatMap(({ name, grants, presentGrants, warnings }) => {
    if (grants === undefined) return [];
    const allowed = approval && Object.hasOwn(approval.servers, name) ? approval.servers[name] : undefined;
    const present = presentGrants?.map(formatLine);
    if (includesAll(present, grants) || includesAll(allowed, grants)) return [];
    const before = present ?? allowed;
    const marked = before
      ? grants.map((grant) => ({ ...grant, isNew: !before.includes(formatLine(grant)) }))
      : [...grants];
    return [{ name, grants: marked, warnings }];
  });
}

function includesAll(lines: readonly string[] | undefined, grants: readonly Grant[]): boolean {
  return lines !== undefined && grants.every((grant) => lines.includes(formatLine(grant)));
}

function formatLine({ kind, text }: Grant): string {
  return `${kind}: ${text}`;
}
