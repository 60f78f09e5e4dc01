/**
 * The network of private engines: a network namespace and a mount namespace that are made with the engines' owner and
 * are gone with the last process in them, together with every interface, route, packet rule and network setting that the
 * engines made. The machine's own network has no part in it: the way out is `slirp4netns`, an ordinary process.
 *
 * A port that an engine publishes is on the namespace's loopback address, so whoever calls a server is started inside.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import type { Socket } from "node:net";

/** Longest wait for the way out, milliseconds. */
const WAY_OUT_DEADLINE_MS = 10_000;

/**
 * Sets up the two namespaces from inside, then becomes the command in its arguments. Mounts of the machine arrive here,
 * and none of here arrive there. A file is mounted over one that names the machine's name server, which may be on its
 * loopback address. Nothing is mounted over a file of `/proc`: where it is not whole, the kernel lets no rootless
 * container have one. Devices that rootless engines open are for everybody here, as they are on most machines. Where the machine's
 * own engines listen, nobody does here: a `thv` of a test that names no engine finds none.
 */
const SET_UP = `set -e
mount --make-rshared /
ip link set lo up
mount -t tmpfs tmpfs /mnt
echo "nameserver 10.0.2.3" >/mnt/resolv.conf
[ ! -e /etc/resolv.conf ] || mount --bind /mnt/resolv.conf /etc/resolv.conf
open_device() { mknod --mode=666 /mnt/device-$3 c $2 $3 2>/dev/null && mount --bind /mnt/device-$3 $1 || :; }
[ ! -e /dev/net/tun ] || open_device /dev/net/tun 10 200
[ ! -e /dev/fuse ] || open_device /dev/fuse 10 229
umount --lazy /mnt
for socket in /var/run/docker.sock /var/run/podman/podman.sock; do
  [ ! -S $socket ] || mount --bind /dev/null $socket
done
exec "$@"`;

type Command = readonly [string, ...string[]];

/** A command that runs in new namespaces. It has the process id of the process that is started. */
export function wrapInNewNetwork(command: Command): Command {
  return ["unshare", "--net", "--mount", "--propagation", "slave", "sh", "-c", SET_UP, "sh", ...command];
}

/**
 * A command that runs in the namespaces of a process, in the folder where this process is.
 *
 * @param pid The owner's.
 */
export function wrapInNetwork(pid: number, command: Command): Command {
  // A folder that is opened outside would have no path inside, so the change comes after the entry.
  return ["nsenter", "--target", `${pid}`, "--net", "--mount", "env", `--chdir=${process.cwd()}`, ...command];
}

/**
 * Gives this process's network a way out through the parent's, until this process ends.
 *
 * @returns Why there is none, or `undefined`.
 */
export async function openWayOut(): Promise<string | undefined> {
  const isThere = await access("/dev/net/tun").then(
    () => true,
    () => false,
  );
  if (!isThere) return "this machine has no /dev/net/tun";
  const options = ["--configure", "--mtu=65520", "--disable-host-loopback", "--exit-fd=3", "--ready-fd=4"];
  const [program, ...args] = wrapInNetwork(process.ppid, ["slirp4netns", ...options, `${process.pid}`, "tap0"]);
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"], detached: true });
  let complaint = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint = `${complaint}${text}`.slice(-2000);
  });
  const state = await Promise.race([untilReady(child), once(child, "exit"), once(child, "error")]);
  if (state !== "ready") return `slirp4netns ended: ${complaint.trim()}`;
  // It lives as long as the other end of its pipe is open, which this process holds. It must not hold this process.
  child.unref();
  for (const stream of child.stdio) (stream as Socket | null | undefined)?.unref();
  return undefined;
}

async function untilReady(child: ChildProcess): Promise<"ready"> {
  await once(child.stdio[4] as Socket, "data", { signal: AbortSignal.timeout(WAY_OUT_DEADLINE_MS) });
  return "ready";
}
