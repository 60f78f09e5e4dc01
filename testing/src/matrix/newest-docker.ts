/**
 * The newest Docker, whose packages no Debian has: built from its Go module, once, into the user's folder of caches. Its
 * runc has to be newer than Debian's; Debian's containerd is new enough.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { mustRun, runCommand } from "../command.ts";
import { currentOwner } from "../engines/engine-run.ts";
import { isAlive, type ProcessIdentity } from "../engines/processes.ts";

const DOCKER = "v2.0.0-beta.24";
const RUNC = "v1.3.3";

/** Processor-bound work beside tests, which go first. */
const NICE = ["--adjustment=19"];

function parentFolder(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "toolhive-tests");
}

function cacheFolder(): string {
  return join(parentFolder(), `docker-${DOCKER}-runc-${RUNC}-${process.arch}`);
}

/** In the place of the programs: why they are not there. */
const FAILURE = "failure.txt";
/** Who builds them now, beside the folder. */
const BUILDER = "builder.json";

async function readBuilder(): Promise<ProcessIdentity | undefined> {
  const note = await readFile(join(parentFolder(), BUILDER), "utf8").catch(() => undefined); // nobody ever has
  return note === undefined ? undefined : (JSON.parse(note) as ProcessIdentity);
}

export interface NewestDocker {
  /** Folder of `dockerd`, `docker-proxy` and `runc`. */
  readonly programs: string;
  readonly obstacle: string | undefined;
}

export async function findNewestDocker(): Promise<NewestDocker> {
  const programs = cacheFolder();
  if (existsSync(join(programs, "runc"))) return { programs, obstacle: undefined };
  const failure = await readFile(join(programs, FAILURE), "utf8").catch(() => undefined); // it was not tried yet
  if (failure !== undefined) return { programs, obstacle: failure };
  const builder = await readBuilder();
  const isBuilding = builder !== undefined && (await isAlive(builder));
  return { programs, obstacle: isBuilding ? "it is still being built" : "it is not built yet; npm test builds it" };
}

/**
 * Builds what is missing: minutes of all processors, at the lowest priority. A failure is noted for {@link findNewestDocker}, and
 * tried again next time.
 */
export async function buildNewestDocker(): Promise<void> {
  const folder = cacheFolder();
  if (existsSync(join(folder, "runc"))) return;
  const builder = await readBuilder();
  if (builder !== undefined && (await isAlive(builder))) return; // another run's
  await mkdir(parentFolder(), { recursive: true });
  await writeFile(join(parentFolder(), BUILDER), JSON.stringify(await currentOwner()));
  const draft = await mkdtemp(join(parentFolder(), "draft-"));
  try {
    const obstacle = await tryBuild(draft);
    if (obstacle !== undefined) await writeFile(join(draft, FAILURE), obstacle);
    for (const name of await readdir(parentFolder())) {
      if (/^docker-/.test(name)) await rm(join(parentFolder(), name), { recursive: true, force: true });
    }
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(join(parentFolder(), BUILDER), { force: true });
  }
}

/** @returns Why it cannot be built. */
async function tryBuild(folder: string): Promise<string | undefined> {
  const isGoThere = await runCommand("go", ["version"]).catch(() => ({ code: 127 }));
  if (isGoThere.code !== 0) return "Go is not installed";
  const work = await mkdtemp(join(tmpdir(), "thv-runc-"));
  const env = { ...process.env, GOBIN: folder, GOFLAGS: "-buildvcs=false" };
  const go = (...args: string[]) => mustRun("nice", [...NICE, "go", ...args], { cwd: work, env });
  try {
    const docker = "github.com/moby/moby/v2/cmd";
    await go("install", `${docker}/dockerd@${DOCKER}`, `${docker}/docker-proxy@${DOCKER}`);
    // Of a module of its own: `go install` refuses modules that replace others, as this one does.
    await go("mod", "init", "toolhive.test/runc");
    await go("get", `github.com/opencontainers/runc@${RUNC}`);
    await go("build", "-tags", "seccomp", "-o", join(folder, "runc"), "github.com/opencontainers/runc");
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `it cannot be built: ${reason.trim().split("\n").at(-1)?.slice(0, 200)}`;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
