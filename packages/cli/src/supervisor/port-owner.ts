/** Finds out which process listens on a port, so that a message can name it. Linux only; elsewhere the message has no name. */
import { readdir, readFile, readlink } from "node:fs/promises";

/** @returns For example `node (pid 4711)`, or `undefined` when the system does not name it. */
export async function describePortOwner(port: number): Promise<string | undefined> {
  const inodes = await listeningInodes(port);
  if (inodes.size === 0) return undefined;
  for (const pid of await readdirOrEmpty("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    for (const descriptor of await readdirOrEmpty(`/proc/${pid}/fd`)) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => "");
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode && inodes.has(inode)) return `${await readCommand(pid)} (pid ${pid})`;
    }
  }
  return undefined;
}

/** Socket inodes of listeners, from proc(5) `net/tcp`: local address in column 2, state in 4 (0A listens), inode in 10. */
async function listeningInodes(port: number): Promise<Set<string>> {
  const hexPort = port.toString(16).toUpperCase().padStart(4, "0");
  const inodes = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const text = await readFile(table, "utf8").catch(() => "");
    for (const line of text.split("\n").slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (local?.endsWith(`:${hexPort}`) && state === "0A" && inode) inodes.add(inode);
    }
  }
  return inodes;
}

async function readdirOrEmpty(path: string): Promise<string[]> {
  // Other users' processes may not be read; they stay unnamed.
  return await readdir(path).catch(() => []);
}

async function readCommand(pid: string): Promise<string> {
  const words = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""))
    .split("\0")
    .filter((word) => word !== "");
  return words.slice(0, 3).join(" ").slice(0, 120) || "a process";
}
