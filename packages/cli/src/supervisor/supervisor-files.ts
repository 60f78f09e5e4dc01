/** Where the supervisor keeps what belongs to the running process: its lock, its socket, its log, its record. */
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { type Directories, resolveDirectories } from "@toolhive/core/directories";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { parseHolder } from "./lock/lock-holder.ts";

/** Bytes of a unix socket's path that every system allows (`sun_path` is 104 on macOS, 108 on Linux). */
const MAX_SOCKET_PATH_BYTES = 100;
/** Milliseconds in which a supervisor has to identify itself. */
const RECORD_TIMEOUT_MS = 5_000;
const PIPE_PREFIX = "\\\\.\\pipe\\toolhive-";
const PIPE = /^\\\\\.\\pipe\\toolhive-[0-9a-f-]{36}$/;

export interface SupervisorFiles {
  readonly directories: Directories;
  /** Held while a supervisor runs. */
  readonly lock: string;
  /** Unix socket. On Windows the named pipe of the supervisor that holds the lock now, each time it is asked for. */
  readonly socket: string;
  /** Where the supervisor serves Podman's API when no other service does. */
  readonly podmanSocket: string;
  /** JSON about the running supervisor: {@link SupervisorRecord}. */
  readonly record: string;
  /** Output of a supervisor that runs in the background. */
  readonly log: string;
  /** Folder of what servers on stdio write to standard error: `NAME.log` and, older, `NAME.log.1`. */
  readonly serverLogs: string;
  /** Folder of what servers wrote whose start failed: `NAME.log`. */
  readonly failedOutputs: string;
  /** Random id that marks this home's containers. */
  readonly instanceId: string;
  /** Browsers that are signed in to the application. */
  readonly appSessions: string;
  readonly runConfigs: string;
}

/** The engine is only in the answer, not in the file. */
export type SupervisorRecord = Readonly<OperationAnswer<"getSupervisor">>;

/** What the supervisor that runs says about itself. @throws {ThvError} `SUPERVISOR_UNREACHABLE`. */
export async function askRecord(client: ApiClient): Promise<SupervisorRecord> {
  return await client.call("getSupervisor", { signal: startTimeout(RECORD_TIMEOUT_MS) });
}

export function supervisorFiles(env: Readonly<Record<string, string | undefined>>): SupervisorFiles {
  const directories = resolveDirectories({ env });
  const { state, data } = directories;
  const lock = join(state, "supervisor.lock");
  const unixSocket = socketPath(state);
  return {
    directories,
    lock,
    get socket() {
      return process.platform === "win32" ? findPipe(lock) : unixSocket;
    },
    podmanSocket: join(dirname(unixSocket), "podman.sock"),
    record: join(state, "supervisor.json"),
    log: join(data, "logs", "supervisor.log"),
    serverLogs: join(data, "logs", "servers"),
    failedOutputs: join(data, "logs", "failed"),
    instanceId: join(state, "instance-id"),
    appSessions: join(state, "app-sessions.json"),
    runConfigs: join(state, "runconfigs"),
  };
}

function socketPath(state: string): string {
  // Needed for few paths and slow to load, so not imported.
  const fingerprint = () =>
    process.getBuiltinModule("node:crypto").createHash("sha256").update(state).digest("hex").slice(0, 16);
  const path = join(state, "supervisor.sock");
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return path;
  return join(tmpdir(), `toolhive-${process.getuid?.() ?? userInfo().uid}-${fingerprint()}`, "supervisor.sock");
}

/** For a client of any supervisor that runs at that moment. */
export function followSocket(files: SupervisorFiles): { readonly socketPath: string } {
  return {
    get socketPath() {
      return files.socket;
    },
  };
}

/**
 * The named pipe of the API of the supervisor that holds the lock. Without one, a name on which nothing listens.
 *
 * @param lock Path of the lock.
 */
export function findPipe(lock: string): string {
  const { readFileSync } = process.getBuiltinModule("node:fs");
  try {
    const holder = parseHolder(readFileSync(lock, "utf8"));
    if (holder?.pipe !== undefined && PIPE.test(holder.pipe) && process.kill(holder.pid, 0))
      return `${holder.pipe}-api`;
  } catch {
    // No supervisor, or one that was killed: somebody else may listen at the name of its pipe by now.
  }
  return `${PIPE_PREFIX}${process.getBuiltinModule("node:crypto").randomUUID()}`;
}

/** @param path Of the record. @returns `undefined` when no supervisor has written one. */
export async function readRecord(path: string): Promise<SupervisorRecord | undefined> {
  try {
    return JSON.parse(await readBoundedText(path)) as SupervisorRecord;
  } catch {
    // The file is written a moment after the lock is taken, and removed a moment before the end.
    return undefined;
  }
}
