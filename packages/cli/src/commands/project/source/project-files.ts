/** The project file and its lock on disk. */
import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import {
  atomicWrite,
  formatLock,
  isSharedReference,
  type LockEntries,
  type Project,
  type ProjectBase,
  type ProjectServer,
  readLock,
  readProject,
} from "@toolhive/core";
import { describeReadFailure, readBoundedText, readTextIfPresent } from "@toolhive/core/bounded-file";
import { readSystemCode, ThvError } from "@toolhive/core/errors";
import { formatMountDeclaration, parseMountDeclaration } from "@toolhive/core/permissions";
import { quoteWord } from "@toolhive/http/values";
import { readBases } from "./extended-files.ts";

/** A project file without symbolic links in its folder: the same file has one path, whatever the way to it. */
export async function resolveProjectPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const folder = await realpath(dirname(path)).catch(() => dirname(path));
    return join(folder, basename(path));
  }
}

/** How a command names a project: by its files, the strongest last, or by its reference at an image registry. */
export type GivenProject = string | readonly string[];

/** The command that brings a project up, as it was named. */
export function formatUp(given: GivenProject, ...flags: readonly string[]): string {
  return ["thv up", ...formatSource(given), ...flags].join(" ");
}

function formatSource(given: GivenProject): string[] {
  if (typeof given === "string" && isSharedReference(given)) return [quoteWord(given)];
  const files = typeof given === "string" ? [given] : given;
  if (files.length === 1 && resolve(files[0] ?? "") === resolve("thv.yaml")) return [];
  return files.flatMap((file) => ["--file", quoteWord(file)]);
}

/** Whether `path` lies in the folder, or is it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith("../") || way.startsWith("..\\") || isAbsolute(way));
}

/** What is in a folder is somebody else's, and a link in it would make it any file of this machine. @throws {ThvError} `INVALID_ARGUMENT`. */
export async function assertNoWayOut(given: string): Promise<void> {
  const target = await realpath(given).catch(() => undefined);
  const folder = await realpath(dirname(given)).catch(() => undefined);
  if (target === undefined || folder === undefined || isInside(target, folder)) return;
  throw new ThvError("INVALID_ARGUMENT", `${given} cannot be used: it is a link to ${target}, outside its folder.`, {
    hint: "If you mean that file, give its own path with --file",
  });
}

const FILES = ["authz_config", "audit_config", "thv_ca_bundle", "jwks_auth_token_file", "ca_certificate"] as const;

/** The files that a server's settings name, by their members; two of these may hold JSON instead. */
function pickFiles(request: ProjectServer["request"]): Record<string, string> {
  const named = FILES.flatMap((member) => {
    const path = request[member];
    return path !== undefined && isAbsolute(path) ? [[member, path] as const] : [];
  });
  return Object.fromEntries(named);
}

/** @throws {ThvError} `INVALID_ARGUMENT` for folders of the project that are links to somewhere else. */
async function assertFoldersStay({ path, servers }: Project): Promise<void> {
  const folder = dirname(path);
  const problems: string[] = [];
  for (const { name, request } of servers) {
    const { permission_profile: { read = [], write = [] } = {}, volumes = [], image } = request;
    const mounted = [...read, ...write, ...volumes].flatMap((text) => {
      const declaration = parseMountDeclaration(text);
      return typeof declaration === "string" ? [] : [declaration.source];
    });
    const sources = [
      ...mounted,
      ...Object.values(pickFiles(request)),
      ...(image.startsWith("go:///") ? [image.slice("go://".length)] : []),
    ];
    for (const source of sources.filter((each) => isInside(each, folder))) {
      const real = await realpath(source).catch(() => source);
      if (!isInside(real, folder)) problems.push(`servers.${name}: ${source} is a link to ${real}, outside the folder`);
    }
  }
  if (problems.length === 0) return;
  throw new ThvError("INVALID_ARGUMENT", `${path} cannot be used: ${problems.join("; ")}.`, {
    hint: "If you mean that folder, write its own path in the file",
  });
}

/**
 * @param given One file, or several: the last one is the project's, as if it extended the others before everything else.
 * @throws {ThvError} `INVALID_ARGUMENT` with every problem.
 */
export async function openProject(given: readonly string[]): Promise<Project> {
  const files: ProjectBase[] = [];
  for (const each of given) files.push(await readGiven(each));
  const own = files.at(-1);
  if (own === undefined) throw new ThvError("USAGE", "--file names no project file.");
  const project = readProject(own.text, own.path, await readBases(files, assertNoWayOut));
  await assertFoldersStay(project);
  return await withRealSources(project);
}

async function readGiven(given: string): Promise<ProjectBase> {
  const path = await resolveProjectPath(given);
  await assertNoWayOut(given);
  try {
    return { path, text: await readBoundedText(path) };
  } catch (error) {
    const reason = readSystemCode(error) === "ENOENT" ? "it does not exist" : describeReadFailure(error);
    throw new ThvError("INVALID_ARGUMENT", `${path} cannot be used: ${reason}.`, {
      hint: "Give its path with --file, or create it from a client's settings: thv import mcp.json",
      cause: error,
    });
  }
}

/** What is asked about is where links lead, and so is what the server gets. */
export async function withRealSources(project: Project): Promise<Project> {
  const follow = async (text: string) => {
    const declaration = parseMountDeclaration(text);
    if (typeof declaration === "string") return text;
    const source = await realpath(declaration.source).catch(() => declaration.source);
    return formatMountDeclaration({ ...declaration, source });
  };
  const followAll = async (texts: readonly string[]) => await Promise.all(texts.map(follow));
  const servers = project.servers.map(async (server) => {
    const { volumes, permission_profile: profile } = server.request;
    const { read, write } = profile ?? {};
    const mounts = { ...(read && { read: await followAll(read) }), ...(write && { write: await followAll(write) }) };
    const files = Object.entries(pickFiles(server.request)).map(
      async ([member, path]) => [member, await realpath(path).catch(() => path)] as const,
    );
    const request = {
      ...server.request,
      ...Object.fromEntries(await Promise.all(files)),
      ...(volumes && { volumes: await followAll(volumes) }),
      ...(profile && { permission_profile: { ...profile, ...mounts } }),
    };
    return { ...server, request };
  });
  return { ...project, servers: await Promise.all(servers) };
}

/** @returns The entries; `undefined` where there is no lock. @throws {ThvError} `INVALID_ARGUMENT`. */
export async function openLock(path: string): Promise<LockEntries | undefined> {
  await assertNoWayOut(path);
  const text = await readTextIfPresent(path).catch((error: unknown) => {
    throw new ThvError("INVALID_ARGUMENT", `${path} cannot be used: ${describeReadFailure(error)}.`, {
      hint: "Restore it from version control, or write it again: thv up --update-lock",
      cause: error,
    });
  });
  return text === undefined ? undefined : readLock(text, path);
}

/** Writes the lock where it says something else than before. @throws {ThvError} `FILE_FAILED`. */
export async function saveLock(path: string, before: LockEntries | undefined, after: LockEntries): Promise<void> {
  const text = formatLock(after);
  if (before !== undefined && formatLock(before) === text) return;
  // Everybody who works in the folder reads it.
  await atomicWrite(path, text, { mode: 0o644 });
}
