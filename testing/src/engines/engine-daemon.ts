/** Starts an engine's daemon, waits until it answers, ends it. */
import { spawn } from "node:child_process";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { waitFor } from "../wait-for.ts";
import { requestEngine } from "./engine-api.ts";
import type { EngineRun } from "./engine-run.ts";
import { endProcesses, identify } from "./processes.ts";

/** Longest wait for a daemon to answer its first request, milliseconds. A cold disk on a busy machine needs some. */
const START_DEADLINE_MS = 60_000;

/** Longest wait for a daemon to end by itself, milliseconds. */
const STOP_GRACE_MS = 15_000;

export interface EngineDescription {
  readonly kind: "docker" | "podman";
  /** Path of the socket. */
  readonly socket: string;
  /** The socket as `DOCKER_HOST` wants it. */
  readonly host: string;
  /** Program and leading arguments of the engine's own command line. */
  readonly command: readonly [string, ...string[]];
  /** Variables the engine's own command line needs. */
  readonly env: Readonly<Record<string, string>>;
  /** Where it comes from, for people: `private, version 20.10.24`. */
  readonly origin: string;
}

export interface EngineDaemon {
  readonly engine: EngineDescription;
  stop(): Promise<void>;
}

export interface DaemonOptions {
  readonly run: EngineRun;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** System folders, which exist, that the daemon sees as empty folders of the run, because their paths cannot be configured. */
  readonly privateFolders: readonly string[];
  readonly engine: EngineDescription;
  readonly signal: AbortSignal;
}

/**
 * Mounts `SOURCE TARGET` pairs up to `--`, then becomes the command behind it. Where the name servers' file is a link into
 * a folder that is empty now, it gets a copy there.
 */
const MOUNT_AND_RUN = `set -e
servers=$(cat /etc/resolv.conf)
while [ "$1" != -- ]; do mkdir -p "$1"; mount --bind "$1" "$2"; shift 2; done
shift
file=$(readlink -m /etc/resolv.conf)
[ -e "$file" ] || { mkdir -p "\${file%/*}"; echo "$servers" >"$file"; }
exec "$@"`;

/**
 * Runs a program in a mount namespace: it sees the machine's mounts, the machine does not see its, and they are gone with
 * its last process, however that ends.
 */
function runInMountNamespace({ run, program, args, privateFolders, engine }: DaemonOptions): string[] {
  const pairs = privateFolders.flatMap((folder) => [join(run.directory, engine.kind, "root", folder), folder]);
  return ["--mount", "--propagation", "slave", "sh", "-c", MOUNT_AND_RUN, "sh", ...pairs, "--", program, ...args];
}

/** @throws {Error} With the end of the daemon's log when it ends or stays silent. */
export async function startDaemon(options: DaemonOptions): Promise<EngineDaemon> {
  const { run, program, env, engine, signal } = options;
  const logFile = join(run.directory, `${engine.kind}.log`);
  const log = await open(logFile, "a");
  const child = spawn("unshare", runInMountNamespace(options), {
    env: { ...process.env, ...env },
    // What helpers of the engine write here, for example when a container has run out of memory, goes with the run.
    cwd: run.directory,
    stdio: ["ignore", log.fd, log.fd],
    detached: true,
  });
  await log.close();
  const spawnFailure = new Promise<never>((_, reject) => child.once("error", reject));
  const answers = waitFor(
    async () => {
      if (child.exitCode !== null || child.signalCode !== null) return "ended" as const;
      await requestEngine(engine.host, "GET", "/_ping");
      return "answers" as const;
    },
    { deadlineMs: START_DEADLINE_MS, what: `${program} to answer on ${engine.socket}`, signal },
  );
  const fail = async (message: string, cause?: unknown): Promise<never> => {
    child.kill("SIGKILL");
    const tail = (await readFile(logFile, "utf8")).trim().split("\n").slice(-15).join("\n");
    throw new Error(`${message}\n${tail}`, { cause });
  };
  const state = await Promise.race([answers, spawnFailure]).catch((error: unknown) => {
    signal.throwIfAborted();
    return fail(`${program} did not start.`, error);
  });
  if (state === "ended") await fail(`${program} ended with code ${child.exitCode ?? child.signalCode}.`);

  return {
    engine,
    async stop() {
      const identity = child.pid === undefined ? undefined : await identify(child.pid);
      if (identity !== undefined) await endProcesses([identity], { graceMs: STOP_GRACE_MS });
    },
  };
}
