/** Starts an engine's daemon, waits until it answers, ends it. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { waitFor } from "../wait-for.ts";
import { type EngineTraits, readTraits, readVersion, requestEngine } from "./engine-api.ts";
import type { EngineRun } from "./engine-run.ts";
import { endProcesses, identify } from "./processes.ts";

/** Longest wait for a daemon to answer its first request, milliseconds. A cold disk on a busy machine needs some. */
const START_DEADLINE_MS = 60_000;

/** Longest wait for a daemon to end by itself, milliseconds. */
const STOP_GRACE_MS = 15_000;

/** An ordinary user of the tests, who is on this machine for the processes of one run only. */
export interface OrdinaryUser {
  readonly uid: number;
  readonly gid: number;
  /** HOME, a folder of the run. */
  readonly home: string;
  /** XDG_RUNTIME_DIR. */
  readonly runtimeDir: string;
}

export interface EngineDescription {
  readonly kind: "docker" | "podman";
  /** Tells the engines of a run apart; its log and its folder have this name. */
  readonly name: string;
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
  /** What it says of itself once it answers. */
  readonly traits?: EngineTraits;
  /** Whose it is, if the engine is rootless. Default: root's, or the machine's. */
  readonly owner?: OrdinaryUser;
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
  /** The same for files, with what the daemon finds in them. Those that do not exist are left out. */
  readonly privateFiles?: Readonly<Record<string, string>>;
  readonly engine: EngineDescription;
  readonly signal: AbortSignal;
}

/**
 * Mounts `SOURCE TARGET` pairs up to `--`, then becomes the command behind it. Where the name servers' file is a link into
 * a folder that is empty now, it gets a copy there.
 */
const MOUNT_AND_RUN = `set -e
servers=$(cat /etc/resolv.conf)
while [ "$1" != -- ]; do mount --bind "$1" "$2"; shift 2; done
shift
file=$(readlink -m /etc/resolv.conf)
[ -e "$file" ] || { mkdir -p "\${file%/*}"; echo "$servers" >"$file"; }
exec "$@"`;

/**
 * Runs a program in a mount namespace: it sees the machine's mounts, the machine does not see its, and they are gone with
 * its last process, however that ends.
 */
async function runInMountNamespace(options: DaemonOptions): Promise<string[]> {
  const { run, program, args, privateFolders, privateFiles = {}, engine } = options;
  const root = join(run.directory, engine.name, "root");
  const pairs: string[] = [];
  for (const folder of privateFolders) {
    await mkdir(join(root, folder), { recursive: true });
    pairs.push(join(root, folder), folder);
  }
  for (const [file, content] of Object.entries(privateFiles)) {
    if (!existsSync(file)) continue;
    await mkdir(join(root, dirname(file)), { recursive: true });
    await writeFile(join(root, file), content);
    pairs.push(join(root, file), file);
  }
  const command = wrapAsUser(engine.owner, [program, ...args]);
  return ["--mount", "--propagation", "slave", "sh", "-c", MOUNT_AND_RUN, "sh", ...pairs, "--", ...command];
}

/** A command of another user, for root. */
function wrapAsUser(user: OrdinaryUser | undefined, command: readonly string[]): readonly string[] {
  if (user === undefined) return command;
  return ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", ...command];
}

/** @throws {Error} With the end of the daemon's log when it ends or stays silent. */
export async function startDaemon(options: DaemonOptions): Promise<EngineDaemon> {
  const { run, program, env, engine, signal } = options;
  const logFile = join(run.directory, `${engine.name}.log`);
  const log = await open(logFile, "a");
  const child = spawn("unshare", await runInMountNamespace(options), {
    // A user's process has nothing of root's environment.
    env: engine.owner === undefined ? { ...process.env, ...env } : { ...env },
    // What helpers of the engine write here, for example when a container has run out of memory, goes with the run.
    cwd: run.directory,
    stdio: ["ignore", log.fd, log.fd],
    detached: true,
  });
  await log.close();
  child.unref(); // it ends with the run, whoever started it
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

export async function addVersion(engine: EngineDescription): Promise<EngineDescription> {
  const [{ version }, traits] = await Promise.all([readVersion(engine.host), readTraits(engine.host, engine.kind)]);
  return { ...engine, traits, origin: `${engine.origin}, version ${version}` };
}
