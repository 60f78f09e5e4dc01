/** A project at an image registry, opened for `thv up`: pulled, checked, and compared with what ran here last. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  atomicWrite,
  createRoutedFetch,
  formatSharedLabel,
  type LockEntries,
  type NamedPath,
  PROJECT_LABEL,
  type Project,
  type PulledProject,
  parseSharedReference,
  pullProject,
  type RegistryAccess,
  readLock,
  readProject,
  type SharedReference,
} from "@toolhive/core";
import { hasCode, ThvError } from "@toolhive/core/errors";
import { quoteWord } from "@toolhive/http/values";
import type { CommandContext } from "../../../command-line/command.ts";
import { readTrusted } from "../../../supervisor/trusted-certificates.ts";
import { openConfig } from "../../shared/open-registry.ts";
import { withRealSources } from "./project-files.ts";
import { placeShared, readSharedState, saveSharedState } from "./shared-state.ts";

export interface SharedOrigin {
  /** With its tag. */
  readonly reference: string;
  readonly digest: string;
  /** The digest that ran here before, when the tag names another one now. */
  readonly before?: string;
}

export interface OpenedProject {
  readonly project: Project;
  readonly lock: LockEntries | undefined;
  readonly origin?: SharedOrigin;
  readonly saveLock: (entries: LockEntries) => Promise<void>;
}

/** With the proxies of the environment, and the certificates of the settings. */
export async function createRegistryAccess(context: CommandContext): Promise<RegistryAccess> {
  const { env, signal } = context;
  const { ca_certificate_path } = await openConfig(context).load();
  const ca = await readTrusted(ca_certificate_path, env);
  return { env, signal, send: createRoutedFetch(async () => ca) };
}

/** @throws {ThvError} For everything that keeps it from being used. */
export async function openSharedProject(given: string, context: CommandContext): Promise<OpenedProject> {
  const { env } = context;
  const reference = parseSharedReference(given);
  const pulled = await pullProject(reference, await createRegistryAccess(context));
  assertWithoutFolder(pulled);
  const label = formatSharedLabel(reference);
  const project = await readShared(pulled, label, env);
  const state = await readSharedState(label, env);
  const published = pulled.lock === undefined ? {} : readLock(pulled.lock, `The lock file of ${reference.text}`);
  const isSame = state.pinned?.digest === pulled.digest;
  // What the publisher has locked counts until this machine has locked the same project.
  const lock = isSame ? { ...published, ...state.lock } : { ...state.lock, ...published };
  const before = reference.digest === undefined && !isSame ? state.pinned?.digest : undefined;
  return {
    project,
    lock,
    origin: { reference: reference.text, digest: pulled.digest, ...(before !== undefined && { before }) },
    saveLock: async (entries) => {
      const pinned = { reference: reference.text, digest: pulled.digest };
      const seen = { ...state.seen, ...(reference.tag !== undefined && { [reference.tag]: pulled.digest }) };
      await saveSharedState(label, { seen, pinned, lock: entries }, env);
    },
  };
}

/** @throws {ThvError} `INVALID_ARGUMENT` with every path that begins at a folder. */
function assertWithoutFolder({ reference: { text }, left }: PulledProject): void {
  if (left.length === 0) return;
  const problems = left.map(({ member, path }) => `${member}: ${path}`).join("; ");
  throw new ThvError(
    "INVALID_ARGUMENT",
    `${text} cannot be used without a folder: its relative paths begin at one, and an image registry has none (${problems}).`,
    { hint: `Pull it into a folder: thv pull ${quoteWord(text)} FOLDER. Then run it there: thv up` },
  );
}

/** Its own name and labels do not count: it belongs to where it is from. */
async function readShared(
  { reference, name, text, files }: PulledProject,
  label: string,
  env: CommandContext["env"],
): Promise<Project> {
  const beside = files.filter(({ kind }) => kind === "file");
  const hash = createHash("sha256");
  for (const file of beside) hash.update(`${file.name}\0${file.bytes.length}\0`).update(file.bytes);
  // Other files are in another folder, so that a server whose policies change is a difference.
  const folder = join(placeShared(label, env), hash.digest("hex").slice(0, 16));
  for (const file of beside) await atomicWrite(join(folder, ...file.name.split("/")), file.bytes);
  const path = join(folder, name);
  const project = await readNamed(text, path, reference);
  const servers = project.servers.map((server) => {
    const { request } = server;
    return { ...server, request: { ...request, labels: { ...request.labels, [PROJECT_LABEL]: label } } };
  });
  return await withRealSources({ ...project, path: reference.repository, label, servers });
}

/** Problems name the reference: nobody has written the copy in the state directory. */
async function readNamed(text: string, path: string, reference: SharedReference): Promise<Project> {
  try {
    return readProject(text, path);
  } catch (error) {
    if (!hasCode(error, "INVALID_ARGUMENT")) throw error;
    const { hint, problems } = error;
    throw new ThvError(error.code, error.message.replaceAll(path, reference.text), { hint, problems, cause: error });
  }
}

/** Why a path does not go with a pushed project, as the end of a sentence. */
export function describeLeft({ path, kind }: NamedPath): string {
  if (kind === "secret") return `${path} is secret`;
  return kind === "folder" ? `${path} is a folder` : `${path} is outside the folder of the project file`;
}
