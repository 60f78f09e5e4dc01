/**
 * Kills the daemon of a private engine and starts it again, as a crash, an update or an administrator does. What runs in
 * containers is left to the engine: Docker ends it or keeps it (`live-restore`), and Podman's service owns none of it.
 */
import { spawn } from "node:child_process";
import { open, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { waitFor } from "../wait-for.ts";
import { requestEngine } from "./engine-api.ts";
import type { EngineDescription } from "./engine-daemon.ts";
import {
  endProcesses,
  identify,
  isAlive,
  listProcessIds,
  type ProcessIdentity,
  readEnvironment,
  signalProcess,
} from "./processes.ts";

/** Longest wait for a daemon to end or to answer, milliseconds. */
const DEADLINE_MS = 60_000;

export interface StoppedEngine {
  /** Starts the daemon as it was started before. Settles once it answers. */
  start(): Promise<void>;
}

async function readArguments(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""); // it may have ended meanwhile
  return text.split("\0").slice(0, -1);
}

async function isCommandRunning(program: string, folder: string): Promise<boolean> {
  for (const pid of await listProcessIds()) {
    const [path = "", ...args] = await readArguments(pid);
    if (basename(path) === program && args.some((argument) => argument.startsWith(folder))) return true;
  }
  return false;
}

/** @throws {Error} When the engine is not one that the tests started. */
async function findDaemon({ kind, host }: EngineDescription) {
  const program = { docker: "dockerd", podman: "podman" }[kind];
  for (const pid of await listProcessIds()) {
    const [path = "", ...args] = await readArguments(pid);
    const isDaemon =
      basename(path) === program && args.at(-1) === host && (kind === "docker" || args.includes("service"));
    const identity = isDaemon ? await identify(pid) : undefined;
    if (identity) return { identity, command: [path, ...args] };
  }
  throw new Error(`No ${program} of the tests listens at ${host}.`);
}

/** Docker's containerd ends after it, by itself. */
async function endContainerd({ name, socket, owner }: EngineDescription): Promise<void> {
  const directory = owner === undefined ? join(dirname(socket), name) : owner.runtimeDir;
  const folder = join(directory, owner === undefined ? "exec/containerd" : "docker/containerd");
  const isGone = async () => !(await isCommandRunning("containerd", folder));
  await waitFor(isGone, { what: "the engine's containerd to end", deadlineMs: DEADLINE_MS });
  // On a busy machine its id is soon another process's, which the next daemon would take for a containerd that stayed.
  for (const note of [join(folder, "containerd.pid"), join(directory, "docker.pid")]) await rm(note, { force: true });
}

async function readLastLines(file: string): Promise<string> {
  return (await readFile(file, "utf8")).trim().split("\n").slice(-5).join("\n");
}

interface Launch {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
}

async function readLaunch(pid: number): Promise<Launch> {
  const env = Object.fromEntries((await readEnvironment(pid)).map((entry) => entry.split(/=(.*)/s).slice(0, 2)));
  return { command: await readArguments(pid), env, folder: await readlink(`/proc/${pid}/cwd`) };
}

/** Processes of the daemon, the one that was started first of all: a rootless one has others between itself and its starter. */
async function listDaemonProcesses(engine: EngineDescription): Promise<ProcessIdentity[]> {
  const found: ProcessIdentity[] = [];
  for (const pid of await listProcessIds()) {
    if ((await readArguments(pid)).at(-1) !== engine.host) continue;
    const identity = await identify(pid);
    if (identity !== undefined) found.push(identity);
  }
  return found.sort((left, right) => Number(left.startTime) - Number(right.startTime) || left.pid - right.pid);
}

/** @param program Becomes the daemon, or enters its namespaces first. */
async function launchAgain(
  engine: EngineDescription,
  [program = "", ...args]: readonly string[],
  { env, folder, fds = [] }: Omit<Launch, "command"> & { readonly fds?: readonly number[] },
): Promise<void> {
  const logFile = join(folder, `${engine.name}.log`);
  const log = await open(logFile, "a");
  const { uid, gid } = engine.owner ?? {};
  const child = spawn(program, args, {
    env,
    cwd: folder,
    stdio: ["ignore", log.fd, log.fd, ...fds],
    detached: true,
    ...(uid !== undefined && gid !== undefined && { uid, gid }),
  });
  child.unref();
  await log.close();
  const answers = async () => {
    if (child.exitCode !== null)
      throw new Error(`The daemon ended with ${child.exitCode}: ${await readLastLines(logFile)}`);
    return await requestEngine(engine.host, "GET", "/_ping").then(
      () => true,
      () => false,
    );
  };
  await waitFor(answers, { what: "the engine's daemon to answer", deadlineMs: DEADLINE_MS });
}

async function untilEnded(identities: readonly ProcessIdentity[]): Promise<void> {
  const areGone = async () => !(await Promise.all(identities.map(isAlive))).includes(true);
  await waitFor(areGone, { what: "the engine's daemon to end", deadlineMs: DEADLINE_MS });
}

/** Processes in the user namespace of another one. */
async function listUserNamespace(pid: number): Promise<ProcessIdentity[]> {
  const readNamespace = (process: number) => readlink(`/proc/${process}/ns/user`).catch(() => undefined); // it has ended
  const wanted = await readNamespace(pid);
  const found: ProcessIdentity[] = [];
  for (const other of await listProcessIds()) {
    const identity = (await readNamespace(other)) === wanted ? await identify(other) : undefined;
    if (identity !== undefined) found.push(identity);
  }
  return found;
}

/**
 * The daemon is ended, and those between it and its starter follow it. Docker's unit for a user ends all that is left of it
 * (`KillMode=mixed`), and so does this: the next daemon is in another user namespace and may not end what has an id of this one.
 */
async function stopRootlessEngine(engine: EngineDescription, signal: NodeJS.Signals): Promise<StoppedEngine> {
  const processes = await listDaemonProcesses(engine);
  const [first, last] = [processes[0], processes.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`No engine of the tests listens at ${engine.host}.`);
  const { command, ...launch } = await readLaunch(first.pid);
  const rest = engine.kind === "docker" ? await listUserNamespace(last.pid) : [];
  signalProcess(last.pid, signal);
  await untilEnded(processes);
  await endProcesses(rest, { graceMs: 0 });
  if (engine.kind === "docker") await endContainerd(engine);
  return { start: () => launchAgain(engine, command, launch) };
}

/** Ends the daemon. Settles once it is gone. */
export async function stopEngine(engine: EngineDescription, signal: "SIGKILL" | "SIGTERM"): Promise<StoppedEngine> {
  if (engine.owner !== undefined) return await stopRootlessEngine(engine, signal);
  const { identity, command } = await findDaemon(engine);
  const { pid } = identity;
  const { env, folder } = await readLaunch(pid);
  // The mounts and networks of its containers: the next daemon needs them, and they are gone with the last who holds them.
  const namespaces = [await open(`/proc/${pid}/ns/mnt`), await open(`/proc/${pid}/ns/net`)] as const;
  signalProcess(pid, signal);
  await untilEnded([identity]);
  if (engine.kind === "docker") await endContainerd(engine);
  return {
    async start() {
      const enter = ["nsenter", "--mount=/proc/self/fd/3", "--net=/proc/self/fd/4", "env", `--chdir=${folder}`];
      try {
        await launchAgain(engine, [...enter, ...command], { env, folder, fds: namespaces.map(({ fd }) => fd) });
      } finally {
        for (const namespace of namespaces) await namespace.close();
      }
    },
  };
}

/** Whether Docker keeps containers running while its daemon is away; takes effect at once. */
export async function setLiveRestore(engine: EngineDescription, isKept: boolean): Promise<void> {
  const { identity } = await findDaemon(engine);
  const file = join(dirname(engine.socket), engine.name, "daemon.json");
  const settings = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
  await writeFile(file, JSON.stringify({ ...settings, "live-restore": isKept }));
  signalProcess(identity.pid, "SIGHUP");
  const isInForce = async () => {
    const info = JSON.parse(await requestEngine(engine.host, "GET", "/info")) as { LiveRestoreEnabled?: boolean };
    return info.LiveRestoreEnabled === isKept;
  };
  await waitFor(isInForce, { what: "Docker to read its settings again" });
}
