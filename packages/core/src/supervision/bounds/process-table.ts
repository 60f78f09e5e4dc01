/** Processes of this machine, as Linux shows them in `/proc`. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Linux's page on every processor that we support; larger pages only make the figure too small. */
const PAGE_BYTES = 4096;

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly threads: number;
  readonly residentBytes: number;
  /** Distinguishes a process from a later one with the same number. */
  readonly startedAt: string;
}

/** Reads `/proc`. A process may end at any moment; then there is no answer about it. */
export interface ProcessTable {
  list(): ProcessEntry[];
  find(pid: number): ProcessEntry | undefined;
  /** Name of its process namespace; absent for a process of somebody else. */
  findNamespace(pid: number | "self"): string | undefined;
  /** Bytes with shared pages divided among those who share them; absent where it may not be read. */
  findShareBytes(pid: number): number | undefined;
  /** @throws An error of the system. */
  kill(pid: number): void;
}

/** @returns `undefined` for a process that has ended, or that this user may not read. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** @param text `PID (NAME) STATE PARENT …`; the name may hold anything, parentheses too. */
export function parseProcessStat(text: string): ProcessEntry | undefined {
  const pid = Number.parseInt(text, 10);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [parent, threads, startedAt, pages] = [fields[1], fields[17], fields[19], fields[21]];
  if (!(pid > 0) || startedAt === undefined) return undefined;
  return {
    pid,
    parent: Number(parent),
    threads: Number(threads),
    residentBytes: Number(pages) * PAGE_BYTES,
    startedAt,
  };
}

function find(pid: number): ProcessEntry | undefined {
  return attempt(() => parseProcessStat(readFileSync(`/proc/${pid}/stat`, "utf8")));
}

export const procFiles: ProcessTable = {
  // Without promises: hundreds of tiny files that are in memory, which cost several times as much through the thread pool.
  list: () =>
    (attempt(() => readdirSync("/proc")) ?? []).flatMap((name) => (/^\d+$/.test(name) && find(Number(name))) || []),
  find,
  findNamespace: (pid) => attempt(() => readlinkSync(`/proc/${pid}/ns/pid`)),
  findShareBytes: (pid) => {
    const text = attempt(() => readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
    const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(text ?? "")?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  },
  kill: (pid) => {
    process.kill(pid, "SIGKILL");
  },
};
