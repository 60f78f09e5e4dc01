/**
 * An ordinary user of this machine for the tests of one run. The files that name users are copies with one entry more, mounted
 * over the machine's in the network of the engines: nobody else sees the user, who is gone with the last process there.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mustRun } from "../command.ts";
import type { OrdinaryUser } from "../engines/engine-daemon.ts";
import { findRepositoryRoot } from "../repository.ts";

const NAME = "thv-test-user";
/** Below 65,536, which is all that there is in many containers, and above what systems give out. */
const ID = 64_321;
/** Subordinate ids: the first, and how many, as `useradd` gives them. */
const SUBORDINATE = "7000000:65536";

const ENTRIES: Readonly<Record<string, (home: string) => string>> = {
  passwd: (home) => `${NAME}:x:${ID}:${ID}::${home}:/bin/sh`,
  group: () => `${NAME}:x:${ID}:`,
  subuid: () => `${NAME}:${SUBORDINATE}`,
  subgid: () => `${NAME}:${SUBORDINATE}`,
};

/** @param directory Of the run. */
export function describeUser(directory: string): OrdinaryUser {
  return { uid: ID, gid: ID, home: join(directory, "u/home"), runtimeDir: join(directory, "u/run") };
}

/**
 * Call it in the engines' mount namespace, as root.
 *
 * @param directory Of the run.
 */
export async function addOrdinaryUser(directory: string): Promise<void> {
  const { home, runtimeDir } = describeUser(directory);
  for (const folder of [home, runtimeDir, join(home, "tmp")]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chown(folder, ID, ID);
  }
  await chmod(dirname(home), 0o711);
  const copies = join(directory, "etc");
  await mkdir(copies);
  for (const [name, formatEntry] of Object.entries(ENTRIES)) {
    const original = join("/etc", name);
    if (!existsSync(original)) continue; // without subordinate ids there is no rootless engine, and `findUserObstacle` says so
    const text = await readFile(original, "utf8");
    await writeFile(join(copies, name), `${text.trimEnd()}\n${formatEntry(home)}\n`);
    await mustRun("mount", ["--bind", join(copies, name), original]);
  }
}

/** The whole environment of the user's processes. */
export function buildUserEnv({ home, runtimeDir }: OrdinaryUser): Record<string, string> {
  const folders = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  const path = `${process.env.PATH ?? ""}:${folders}`;
  return { HOME: home, XDG_RUNTIME_DIR: runtimeDir, TMPDIR: join(home, "tmp"), PATH: path, LANG: "C.UTF-8" };
}

/** @returns Why the user cannot run `thv` here, or `undefined`. */
export function findUserObstacle({ uid, gid, home }: OrdinaryUser): string | undefined {
  if (!existsSync(home)) return "the engines of this run have no ordinary user";
  const { status } = spawnSync(process.execPath, ["--version"], { uid, gid, cwd: "/", stdio: "ignore" });
  return status === 0 ? undefined : `an ordinary user may not run ${process.execPath}`;
}

/** @returns Why the user can start no engine here, or `undefined`. */
export function findRootlessObstacle(user: OrdinaryUser): string | undefined {
  if (!existsSync("/etc/subuid") || !existsSync("/etc/subgid")) return "this machine has no subordinate ids";
  const { uid, gid } = user;
  const probe = ["--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"];
  const { status } = spawnSync("unshare", probe, { uid, gid, cwd: "/", stdio: "ignore" });
  return status === 0 ? findUserObstacle(user) : "an ordinary user may make no namespaces here";
}

/**
 * `thv` where the user can read it, which a checkout in somebody's home is not. Copied once in a run.
 *
 * @returns Path of the bundle.
 */
export async function copyThvFor({ home }: OrdinaryUser): Promise<string> {
  const copy = join(dirname(home), "thv");
  const source = join(findRepositoryRoot(), "packages/cli/dist");
  if (!existsSync(copy)) await cp(source, copy, { recursive: true });
  return join(copy, "thv.mjs");
}
