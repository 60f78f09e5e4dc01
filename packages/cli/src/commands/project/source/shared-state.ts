/**
 * What this machine remembers of a project at an image registry, in the state directory: which digest runs here, what its
 * servers were locked to, and which digests this user has pushed or pulled.
 */
import { join } from "node:path";
import { atomicWrite, formatLock, type LockEntries, readLock } from "@toolhive/core";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { resolveDirectories } from "@toolhive/core/directories";
import { hasCode } from "@toolhive/core/errors";
import { isRecord, parseJson, toRecord } from "@toolhive/http/values";
import type { CommandContext } from "../../../command-line/command.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface SharedState {
  /** Digests by tag. */
  readonly seen: Readonly<Record<string, string>>;
  /** What `thv up` last ran, and somebody has allowed. */
  readonly pinned?: { readonly reference: string; readonly digest: string };
  readonly lock?: LockEntries;
}

/** Folder of the state directory for one project's own files. @param label As workloads have it. */
export function placeShared(label: string, env: Environment): string {
  return join(resolveDirectories({ env }).state, "projects", label);
}

function placeState(label: string, env: Environment): string {
  return `${placeShared(label, env)}.shared.json`;
}

/** @returns Nothing remembered where that cannot be read: then what is new is shown again. */
export async function readSharedState(label: string, env: Environment): Promise<SharedState> {
  const path = placeState(label, env);
  try {
    const value = toRecord(parseJson(await readBoundedText(path)));
    const { seen, pinned, lock } = value;
    const { reference, digest } = toRecord(pinned);
    return {
      seen: Object.fromEntries(
        Object.entries(toRecord(seen)).flatMap(([tag, each]) => (typeof each === "string" ? [[tag, each]] : [])),
      ),
      ...(typeof reference === "string" && typeof digest === "string" && { pinned: { reference, digest } }),
      ...(isRecord(lock) && { lock: readLock(JSON.stringify(lock), path) }),
    };
  } catch {
    return { seen: {} };
  }
}

/** @throws {ThvError} `FILE_FAILED`. */
export async function saveSharedState(label: string, state: SharedState, env: Environment): Promise<void> {
  const { lock, ...others } = state;
  const value = { ...others, ...(lock && { lock: parseJson(formatLock(lock)) }) };
  await atomicWrite(placeState(label, env), `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * What a push or a pull has done stands, also where it cannot be remembered.
 *
 * @param seen Digests by tag, beside those that are remembered.
 */
export async function rememberSeen(
  label: string,
  seen: SharedState["seen"],
  { env, terminal }: Pick<CommandContext, "env" | "terminal">,
): Promise<void> {
  try {
    const state = await readSharedState(label, env);
    await saveSharedState(label, { ...state, seen: { ...state.seen, ...seen } }, env);
  } catch (error) {
    if (!hasCode(error, "FILE_FAILED")) throw error;
    terminal.info(`Warning: ${error.message} The next thv push asks before it replaces this tag.`);
  }
}
