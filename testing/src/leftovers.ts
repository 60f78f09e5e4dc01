/** Counts what a command has not removed, to be compared before and after. */
import { readdir, readFile, readlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { getJson } from "./engines/engine-api.ts";
import { readCommandLine } from "./engines/processes.ts";
import type { TestEngine } from "./engines/start-engines.ts";
import type { ThrowawayHome } from "./throwaway-home.ts";

/** Each list is sorted and says what is there without ids that differ between runs, so that two can be compared. */
export interface Leftovers {
  /** `name (state)` */
  readonly containers: readonly string[];
  readonly networks: readonly string[];
  readonly volumes: readonly string[];
  /** Command lines of processes started in the home. */
  readonly processes: readonly string[];
  /** `tcp ADDRESS:PORT` of listeners of those processes, and paths of unix sockets below the home. */
  readonly sockets: readonly string[];
  /** Files below the home's XDG folders, relative to the home. */
  readonly stateFiles: readonly string[];
}

export async function countLeftovers(engine: Pick<TestEngine, "host">, home: ThrowawayHome): Promise<Leftovers> {
  const [containers, networks, volumes] = await Promise.all([
    getJson<{ Names: string[]; State: string }[]>(engine.host, "/containers/json?all=1"),
    getJson<{ Name: string }[]>(engine.host, "/networks"),
    getJson<{ Volumes: { Name: string }[] | null }>(engine.host, "/volumes"),
  ]);
  const processes = await home.listProcesses();
  const commandLines = await Promise.all(processes.map(({ pid }) => readCommandLine(pid)));
  const pids = processes.map(({ pid }) => pid);
  return {
    containers: containers.map(({ Names, State }) => `${Names[0]?.replace(/^\//, "")} (${State})`).sort(),
    networks: networks.map(({ Name }) => Name).sort(),
    volumes: (volumes.Volumes ?? []).map(({ Name }) => Name).sort(),
    processes: commandLines.sort(),
    sockets: [...(await listTcpListeners(pids)), ...(await listUnixSockets(home.path))].sort(),
    stateFiles: (await listFiles(home)).sort(),
  };
}

async function listSocketInodes(pids: readonly number[]): Promise<Set<string>> {
  const inodes = new Set<string>();
  for (const pid of pids) {
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []); // it ended meanwhile
    for (const descriptor of descriptors) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => "");
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode !== undefined) inodes.add(inode);
    }
  }
  return inodes;
}

/** Address of `/proc/net/tcp`: four bytes in the machine's order, a colon, the port. */
export function formatTcpAddress(hex: string): string {
  const [address = "", port = ""] = hex.split(":");
  const bytes = address.match(/../g) ?? [];
  const text =
    bytes.length === 4
      ? bytes
          .reverse()
          .map((byte) => Number.parseInt(byte, 16))
          .join(".")
      : `[${address}]`;
  return `tcp ${text}:${Number.parseInt(port, 16)}`;
}

async function listTcpListeners(pids: readonly number[]): Promise<string[]> {
  const inodes = await listSocketInodes(pids);
  const tables = await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readFile(path, "utf8")));
  return tables
    .flatMap((table) => table.trim().split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === "0A" && inodes.has(fields[9] ?? ""))
    .map((fields) => formatTcpAddress(fields[1] ?? ""));
}

async function listUnixSockets(directory: string): Promise<string[]> {
  const table = await readFile("/proc/net/unix", "utf8");
  const paths = table.split("\n").map((line) => line.trim().split(/\s+/)[7]);
  return [...new Set(paths.filter((path) => path?.startsWith(`${directory}/`)))].map(String);
}

async function listFiles(home: ThrowawayHome): Promise<string[]> {
  const found: string[] = [];
  for (const folder of ["config", "data", "state", "cache", "run"]) {
    const entries = await readdir(join(home.path, folder), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory());
    found.push(...files.map((entry) => relative(home.path, join(entry.parentPath, entry.name))));
  }
  return found;
}
