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
import { identify, isAlive, listProcessIds, readEnvironment, signalProcess } from "./processes.ts";

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
async function endContainerd(directory: string): Promise<void> {
  const folder = join(directory, "exec/containerd");
  const isGone = async () => !(await isCommandRunning("containerd", folder));
  await waitFor(isGone, { what: "the engine's containerd to end", deadlineMs: DEADLINE_MS });
  // On a busy machine its id is soon another process's, which the next daemon would take for a containerd that stayed.
  for (const note of [join(folder, "containerd.pid"), join(directory, "docker.pid")]) await rm(note, { force: true });
}

async function readLastLines(file: string): Promise<string> {
  return (await readFile(file, "utf8")).trim().split("\n").slice(-5).join("\n");
}

/** Whether an engine's daemon may be ended: those of this machine are not ours. */
export function canRestart({ origin }: EngineDescription): boolean {
  return origin.startsWith("private");
}

/** Ends the daemon. Settles once it is gone. */
export async function stopEngine(engine: EngineDescription, signal: "SIGKILL" | "SIGTERM"): Promise<StoppedEngine> {
  const { identity, command } = await findDaemon(engine);
  const { pid } = identity;
  const env = Object.fromEntries((await readEnvironment(pid)).map((entry) => entry.split(/=(.*)/s).slice(0, 2)));
  const folder = await readlink(`/proc/${pid}/cwd`);
  // The mounts and networks of its containers: the next daemon needs them, and they are gone with the last who holds them.
  const namespaces = [await open(`/proc/${pid}/ns/mnt`), await open(`/proc/${pid}/ns/net`)] as const;
  signalProcess(pid, signal);
  await waitFor(async () => !(await isAlive(identity)), {
    what: "the engine's daemon to end",
    deadlineMs: DEADLINE_MS,
  });
  if (engine.kind === "docker") await endContainerd(join(dirname(engine.socket), "docker"));
  return {
    async start() {
      const logFile = join(folder, `${engine.kind}.log`);
      const log = await open(logFile, "a");
      const enter = ["--mount=/proc/self/fd/3", "--net=/proc/self/fd/4", "env", `--chdir=${folder}`];
      const child = spawn("nsenter", [...enter, ...command], {
        env,
        stdio: ["ignore", log.fd, log.fd, ...namespaces.map(({ fd }) => fd)],
        detached: true,
      });
      child.unref();
      await log.close();
      for (const namespace of namespaces) await namespace.close();
      const answers = async () => {
        if (child.exitCode !== null)
          throw new Error(`The daemon ended with ${child.exitCode}: ${await readLastLines(logFile)}`);
        return await requestEngine(engine.host, "GET", "/_ping").then(
          () => true,
          () => false,
        );
      };
      await waitFor(answers, { what: "the engine's daemon to answer", deadlineMs: DEADLINE_MS });
    },
  };
}

/** Whether Docker keeps containers running while its daemon is away; takes effect at once. */
export async function setLiveRestore(engine: EngineDescription, isKept: boolean): Promise<void> {
  const { identity } = await findDaemon(engine);
  const file = join(dirname(engine.socket), "docker/daemon.json");
  const settings = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
  await writeFile(file, JSON.stringify({ ...settings, "live-restore": isKept }));
  signalProcess(identity.pid, "SIGHUP");
  const isInForce = async () => {
    const info = JSON.parse(await requestEngine(engine.host, "GET", "/info")) as { LiveRestoreEnabled?: boolean };
    return info.LiveRestoreEnabled === isKept;
  };
  await waitFor(isInForce, { what: "Docker to read its settings again" });
}
