/**
 * One run of private engines as a folder: everything the run puts on the machine can be found from the folder's name
 * (processes, control groups) and its record, so that a later run can clean up after one that was killed. The engines'
 * networks and mounts are in namespaces of their own and go with their processes.
 */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readSystemCode } from "@toolhive/core/errors";
import { waitFor } from "../wait-for.ts";
import { removeGroups, thawGroups } from "./cgroups.ts";
import { endProcesses, identify, isAlive, listRunProcesses, type ProcessIdentity } from "./processes.ts";

const PREFIX = "thv-engines-";
const RECORD = "run.json";
/**
 * A socket at which the owner listens for as long as it lives. Whoever connects has the kernel's own word for that, also from
 * another process namespace, where the owner's id is another process's or nobody's.
 */
const SIGN_OF_LIFE = "owner.sock";

/** What a run took of the machine, beside its folder. */
export interface RunRecord {
  readonly owner: ProcessIdentity;
  /** The `npm test` that it is part of: that one answers for what it leaves, see scripts/lib/own-changes.mjs. */
  readonly testRun?: string | undefined;
  /** Empty folders that were made to mount something over them, parents first. */
  readonly mountPoints: readonly string[];
}

export interface EngineRun {
  /** Absolute; short enough for socket paths. */
  readonly directory: string;
  /** The folder's name, unique on this machine. */
  readonly name: string;
}

/** @param hold Has the owner listen at the socket from now on. Default: the owner is this process. */
export async function createRun(
  owner: ProcessIdentity,
  hold: (socket: string) => Promise<unknown> = listenAt,
): Promise<EngineRun> {
  const directory = await mkdtemp(join(tmpdir(), PREFIX));
  // Homes of the tests are below it, and some belong to another user; what is not theirs has modes of its own.
  await chmod(directory, 0o711);
  const run = { directory, name: basename(directory) };
  await hold(join(directory, SIGN_OF_LIFE));
  await writeRecord(run, { owner, testRun: process.env.TOOLHIVE_TEST_RUN, mountPoints: [] });
  return run;
}

async function listenAt(socket: string): Promise<void> {
  const server = createServer((connection) => connection.destroy()).unref();
  server.listen(socket);
  await once(server, "listening");
}

/** Whether the owner of a run lives. A run of an older checkout has no socket: there the check searches its process. */
async function isOwned({ directory, record }: RecordedRun): Promise<boolean> {
  const asked = connect(join(directory, SIGN_OF_LIFE));
  try {
    await once(asked, "connect");
    return true;
  } catch (error) {
    const code = readSystemCode(error);
    if (code === "ENOENT") return await isAlive(record.owner);
    return code !== "ECONNREFUSED"; // not for us to ask, or too busy to answer
  } finally {
    asked.destroy();
  }
}

async function writeRecord({ directory }: EngineRun, record: RunRecord): Promise<void> {
  await writeFile(join(directory, RECORD), JSON.stringify(record));
}

async function readRecord({ directory }: EngineRun): Promise<RunRecord> {
  return JSON.parse(await readFile(join(directory, RECORD), "utf8")) as RunRecord;
}

/** Makes those of the folders that are not there, and notes them first. One call at a time. */
export async function makeMountPoints(run: EngineRun, folders: readonly string[]): Promise<void> {
  const record = await readRecord(run);
  const missing: string[] = [];
  for (const folder of folders) {
    const isThere = await readdir(folder).then(
      () => true,
      () => false,
    );
    if (!isThere) missing.push(folder);
  }
  if (missing.length === 0) return;
  await writeRecord(run, { ...record, mountPoints: [...record.mountPoints, ...missing] });
  for (const folder of missing) await mkdir(folder, { recursive: true });
}

interface RecordedRun extends EngineRun {
  readonly record: RunRecord;
}

async function listRuns(): Promise<RecordedRun[]> {
  const found: RecordedRun[] = [];
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const run = { directory: join(tmpdir(), name), name };
    // A folder without a record is from a run killed in its first millisecond, or one that another run removes now.
    const record = await readRecord(run).catch(() => undefined);
    if (record !== undefined) found.push({ ...run, record });
  }
  return found;
}

/** Runs on this machine whose owner is gone: they were killed before they could clean up. */
export async function listAbandonedRuns(): Promise<EngineRun[]> {
  const abandoned: EngineRun[] = [];
  for (const { record, ...run } of await listRuns()) if (!(await isOwned({ record, ...run }))) abandoned.push(run);
  return abandoned;
}

/** Removes everything a run left on the machine. Safe to repeat, and to do while somebody else does it. */
export async function removeRun(run: EngineRun): Promise<void> {
  // What somebody else has removed a moment before is missing in one of the steps; the folder is the last to go.
  const remove = async () => {
    await removeParts(run);
    return true;
  };
  await waitFor(remove, { what: `${run.directory} to be removed` });
}

async function removeParts(run: EngineRun): Promise<void> {
  if (!existsSync(run.directory)) return;
  const { mountPoints = [] } = (await readRecord(run)) as Partial<RunRecord>; // an older checkout's has none
  const containers = await readdir(join(run.directory, "podman/storage/overlay-containers")).catch(() => []); // Podman never started
  const grouped = { name: run.name, podmanContainers: containers.filter((name) => /^[0-9a-f]{64}$/.test(name)) };
  await thawGroups(grouped);
  await endProcesses(await listRunProcesses(run.name), { graceMs: 0 });
  await removeGroups(grouped);
  const others = (await listRuns()).filter(({ name }) => name !== run.name);
  for (const folder of [...mountPoints].reverse()) {
    if (others.some(({ record }) => (record as Partial<RunRecord>).mountPoints?.includes(folder))) continue;
    await rmdir(folder).catch(() => undefined); // somebody else put something into it, so it is theirs now
  }
  await rm(run.directory, { recursive: true, force: true });
}

/** This process as the owner of a run. */
export async function currentOwner(): Promise<ProcessIdentity> {
  const identity = await identify(process.pid);
  if (identity === undefined) throw new Error("This process does not find itself in /proc.");
  return identity;
}
