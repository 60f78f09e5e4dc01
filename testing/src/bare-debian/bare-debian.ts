/**
 * A system that has nothing but Debian: what its installer of containers calls "minbase", in a folder of its own, with
 * processes of its own. It is made once, by Debian's `mmdebstrap`, and kept in the user's folder of caches.
 */
import { mkdir, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandResult, mustRun, runCommand } from "../command.ts";
import { findObstacle, installPackages, isInstalled } from "../engines/packages.ts";

/** Older than that, it is made again: the packages in it grow old. */
const MAX_AGE_MS = 30 * 24 * 3600_000;

/**
 * Enters the folder with processes, mounts and a host name of its own, which are gone with the command. The network is
 * the caller's.
 */
const ENTER = `set -e
mount -t proc proc "$1/proc"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$1/dev/pts"
mount -t tmpfs tmpfs "$1/tmp"
exec chroot "$1" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -c "$2"`;

async function findArchive(): Promise<string> {
  const release = await readFile("/etc/os-release", "utf8").catch(() => "");
  const codename = /^VERSION_CODENAME=(\S+)/m.exec(release)?.[1] ?? "none";
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  return join(caches, "toolhive-tests", `minbase-${codename}-${process.arch}.tar`);
}

/** Why there is no bare Debian here, or `undefined`. For titles of skipped tests. */
export async function findBareDebianObstacle(): Promise<string | undefined> {
  const obstacle = await findObstacle();
  if (obstacle !== undefined) return obstacle;
  const archive = await stat(await findArchive()).catch(() => undefined); // it was not made yet
  return archive === undefined ? "it could not be made; npm run engines -w @toolhive/testing says why" : undefined;
}

/** Makes it where it is missing and can be made. Never rejects: the tests say in their titles what was missing. */
export async function prepareBareDebian(
  onProgress: (message: string) => unknown = (message) => process.stderr.write(`bare Debian: ${message}\n`),
): Promise<void> {
  try {
    if ((await findObstacle()) !== undefined) return;
    const archive = await findArchive();
    const age = await stat(archive).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    if (age < MAX_AGE_MS) return;
    if (!(await isInstalled("mmdebstrap"))) await installPackages(["mmdebstrap"], { onProgress });
    await mkdir(join(archive, ".."), { recursive: true });
    const codename = /minbase-(\w+)-/.exec(archive)?.[1] ?? "";
    onProgress(`making one of ${codename}`);
    const draft = `${archive}.${process.pid}`;
    try {
      await mustRun("mmdebstrap", ["--quiet", "--variant=minbase", "--mode=root", "--format=tar", codename, draft]);
      await rename(draft, archive);
    } finally {
      await rm(draft, { force: true });
    }
  } catch (error) {
    onProgress(error instanceof Error ? error.message : String(error));
  }
}

export class BareDebian implements AsyncDisposable {
  /** Its root, as this machine names it. */
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** @throws {Error} Where {@link findBareDebianObstacle} names an obstacle. */
  static async open(): Promise<BareDebian> {
    const root = await mkdtemp(join(tmpdir(), "bare-debian-"));
    await mustRun("tar", ["-xf", await findArchive(), "-C", root, "--numeric-owner"]);
    return new BareDebian(root);
  }

  /** Runs a script of `sh` as root, with nothing of this machine's environment. No process outlives it. */
  async run(script: string): Promise<CommandResult> {
    const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--ipc", "--uts"];
    return await runCommand("unshare", [...namespaces, "sh", "-c", ENTER, "sh", this.root, script]);
  }

  /** Like {@link run}, for a script that must succeed. @returns stdout. @throws {Error} With the end of its output. */
  async mustRun(script: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(script);
    if (code === 0) return stdout;
    throw new Error(`${script}\nended with ${code}:\n${(stderr || stdout).trim().slice(-2000)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}
