/** Processes of this machine as `/proc` shows them: whose they are, whether they live, how to end them. Linux only. */
import { readdir, readFile, readlink } from "node:fs/promises";
import { readSystemCode } from "@toolhive/core/errors";
import { waitFor } from "../wait-for.ts";

export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks after boot; distinguishes a process from a later one with the same id. */
  readonly startTime: string;
}

async function readProc(pid: number, file: string): Promise<string | undefined> {
  // A process may end, or forbid reading, after it was listed: then it is none of ours.
  return await readFile(`/proc/${pid}/${file}`, "utf8").catch(() => undefined);
}

export async function listProcessIds(): Promise<number[]> {
  return (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Command line with spaces between arguments; empty for kernel threads and for what is gone. */
export async function readCommandLine(pid: number): Promise<string> {
  return ((await readProc(pid, "cmdline")) ?? "").replaceAll("\0", " ").trim();
}

/** The environment a process was started with, one `NAME=value` per entry. */
export async function readEnvironment(pid: number): Promise<string[]> {
  return ((await readProc(pid, "environ")) ?? "").split("\0").filter((entry) => entry !== "");
}

async function readStatus(pid: number): Promise<{ state: string; startTime: string } | undefined> {
  const stat = await readProc(pid, "stat");
  // The command's name is in parentheses and may hold anything; the fields behind it are separated by spaces.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startTime] = [fields?.[0], fields?.[19]];
  return state === undefined || startTime === undefined ? undefined : { state, startTime };
}

/** @returns `undefined` when there is no such process. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const status = await readStatus(pid);
  return status === undefined ? undefined : { pid, startTime: status.startTime };
}

/** A process that ended but was not yet collected by its parent counts as gone. */
export async function isAlive({ pid, startTime }: ProcessIdentity): Promise<boolean> {
  const status = await readStatus(pid);
  return status !== undefined && status.startTime === startTime && status.state !== "Z";
}

/** Whether a process lives in a mount namespace of the run: the engines' helpers and all that runs in containers. */
async function isInNamespace(pid: number, runName: string): Promise<boolean> {
  const readNamespace = (process: number | "self") => readlink(`/proc/${process}/ns/mnt`).catch(() => undefined);
  if ((await readNamespace(pid)) === (await readNamespace("self"))) return false;
  return (await readProc(pid, "mountinfo"))?.includes(runName) ?? false;
}

/** Whether a process was started in a throwaway home of the run, which is a folder below the run's. */
async function isInHome(pid: number, runName: string): Promise<boolean> {
  return (await readEnvironment(pid)).some((entry) => entry.startsWith("HOME=") && entry.includes(`/${runName}/`));
}

/**
 * Processes that belong to a run: its name is in their command line, they live in one of its mount namespaces, or they
 * were started in one of its homes.
 */
export async function listRunProcesses(runName: string): Promise<ProcessIdentity[]> {
  const found: ProcessIdentity[] = [];
  for (const pid of await listProcessIds()) {
    if (pid === process.pid || pid === process.ppid) continue;
    const isMine =
      (await readCommandLine(pid)).includes(runName) ||
      (await isInNamespace(pid, runName)) ||
      (await isInHome(pid, runName));
    const identity = isMine ? await identify(pid) : undefined;
    if (identity !== undefined) found.push(identity);
  }
  return found;
}

/** Sends a signal; a process that is gone already is fine. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (readSystemCode(error) !== "ESRCH") throw error;
  }
}

/**
 * Ends processes: SIGTERM, then SIGKILL for those that are still there after the grace period.
 *
 * @param graceMs Milliseconds between the two. 0 sends SIGKILL at once.
 */
export async function endProcesses(identities: readonly ProcessIdentity[], { graceMs }: { graceMs: number }) {
  const alive = async () => {
    const states = await Promise.all(
      identities.map(async (identity) => ({ identity, lives: await isAlive(identity) })),
    );
    return states.filter(({ lives }) => lives).map(({ identity }) => identity);
  };
  const areGone = async () => (await alive()).length === 0;
  if (graceMs > 0) {
    for (const { pid } of await alive()) signalProcess(pid, "SIGTERM");
    try {
      return await waitFor(areGone, { deadlineMs: graceMs, what: "processes to end" });
    } catch {
      // Those that did not listen are ended below.
    }
  }
  for (const { pid } of await alive()) signalProcess(pid, "SIGKILL");
  return await waitFor(areGone, {
    what: `the killed processes ${identities.map(({ pid }) => pid).join(", ")} to be gone`,
  });
}
