/**
 * The cluster that a test run starts once a test file requests it: most runs need none, and it costs a gigabyte. The request
 * and what became of it are files in the folder of the run, because the file's process is not the one that starts it.
 */
import { existsSync, watch } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { waitFor } from "../wait-for.ts";
import { type StartedCluster, startCluster } from "./start-cluster.ts";

const WISH = "wanted";
const NOTE = "cluster.json";

type Note = { readonly kubeconfig: string } | { readonly failure: string };

/** Milliseconds that its start may need on a busy machine. */
const READY_WITHIN_MS = 300_000;

interface OfferOptions {
  /** Of the run. */
  readonly directory: string;
  readonly runName: string;
  readonly network: number;
  readonly onProgress: (message: string) => void;
}

/** @returns Ends the cluster, if one was requested. */
export async function offerCluster({ directory, ...options }: OfferOptions): Promise<() => Promise<void>> {
  const folder = join(directory, "c");
  await mkdir(folder);
  const over = new AbortController();
  let starting: Promise<StartedCluster | undefined> | undefined;
  const start = async () => {
    const write = async (note: Note) => {
      const file = join(folder, NOTE);
      await writeFile(`${file}.part`, JSON.stringify(note));
      await rename(`${file}.part`, file);
    };
    try {
      const cluster = await startCluster({ ...options, directory: folder, signal: over.signal });
      await write({ kubeconfig: cluster.kubeconfig });
      return cluster;
    } catch (error) {
      await write({ failure: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  };
  const watcher = watch(folder, (_event, name) => {
    if (name === WISH) starting ??= start();
  });
  return async () => {
    watcher.close();
    over.abort(new Error("The test run ended while its cluster was starting."));
    await (await starting)?.close();
  };
}

/** @param directory Of the run. @returns Path of the cluster's kubeconfig. @throws {Error} Why it could not be started. */
export async function wantCluster(directory: string): Promise<string> {
  const folder = join(directory, "c");
  await writeFile(join(folder, WISH), "");
  const note = await waitFor(
    async () => existsSync(join(folder, NOTE)) && (JSON.parse(await readFile(join(folder, NOTE), "utf8")) as Note),
    { what: "the cluster to be started", deadlineMs: READY_WITHIN_MS, intervalMs: 100 },
  );
  if ("failure" in note) throw new Error(note.failure);
  return note.kubeconfig;
}
