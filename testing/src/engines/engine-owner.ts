/**
 * The process that owns the test engines. It is started beside a test run, ends when its stdin ends, and cleans up
 * then: so engines go away when the run finishes, fails, is interrupted or is killed. For private engines it is the first
 * process of their network. Started as `node engine-owner.mjs REPOSITORY ORIGIN KIND,…`; speaks {@link OwnerMessage} on stdout, one JSON value per line.
 */
import { ensureImageCache } from "../images/image-cache.ts";
import { loadImages } from "../images/load-images.ts";
import type { EngineKind } from "../lanes.ts";
import { addOrdinaryUser } from "../matrix/ordinary-user.ts";
import { getJson, requestEngine } from "./engine-api.ts";
import { addVersion, type EngineDaemon, type EngineDescription } from "./engine-daemon.ts";
import {
  createRun,
  currentOwner,
  type EngineRun,
  listAbandonedRuns,
  makeMountPoints,
  removeRun,
} from "./engine-run.ts";
import { findHostEngines } from "./host-engines.ts";
import { DOCKER_FOLDERS, startPrivateDocker } from "./private-docker.ts";
import { openWayOut } from "./private-network.ts";
import { PODMAN_FOLDERS, startPrivatePodman } from "./private-podman.ts";
import { removeContainers } from "./remove-containers.ts";

/** Engines of our own in a network of their own, or those of this machine. */
export type EngineOrigin = "private" | "host";

export type OwnerMessage =
  | { readonly type: "progress"; readonly message: string }
  | { readonly type: "ready"; readonly engines: readonly EngineDescription[]; readonly directory?: string }
  | { readonly type: "failed"; readonly message: string };

type CleanUp = () => Promise<void>;

const ended = new AbortController();
const cleanUps: CleanUp[] = [];

function send(message: OwnerMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

const onProgress = (message: string) => send({ type: "progress", message });

async function stopEngines(run: EngineRun, daemons: readonly EngineDaemon[]): Promise<void> {
  for (const daemon of daemons) {
    // An engine that no longer answers is ended all the same, and what it ran is found by `removeRun`.
    await removeContainers(daemon.engine.host).catch((error: unknown) =>
      onProgress(`removing containers: ${String(error)}`),
    );
    await daemon.stop();
  }
  await removeRun(run);
}

interface StartOptions {
  readonly repository: string;
  readonly kinds: readonly EngineKind[];
  readonly signal: AbortSignal;
}

interface Started {
  readonly engines: readonly EngineDescription[];
  /** Folder of the run; gone with it. Engines of the machine have none. */
  readonly directory?: string;
}

const STARTERS = { docker: startPrivateDocker, podman: startPrivatePodman } as const;

async function startPrivate({ repository, kinds, signal }: StartOptions): Promise<Started> {
  for (const run of await listAbandonedRuns()) {
    onProgress(`removing ${run.directory}, which a killed run left behind`);
    await removeRun(run);
  }
  signal.throwIfAborted();

  const run = await createRun(await currentOwner());
  const daemons: EngineDaemon[] = [];
  cleanUps.push(() => stopEngines(run, daemons));
  await makeMountPoints(run, [...DOCKER_FOLDERS, ...PODMAN_FOLDERS]);
  await addOrdinaryUser(run.directory);
  const obstacle = await openWayOut();
  if (obstacle !== undefined) onProgress(`containers reach nothing but this machine: ${obstacle}`);

  if (kinds.length === 0) return { engines: [], directory: run.directory };

  onProgress(
    `starting ${kinds.map((kind) => `a private ${{ docker: "Docker", podman: "Podman" }[kind]}`).join(" and ")}`,
  );
  const start = async (starting: Promise<EngineDaemon>) => {
    const daemon = await starting;
    daemons.push(daemon);
    return daemon;
  };
  // Wait for all even when one fails: a daemon that comes up later must still be stopped.
  const [cache, ...started] = await Promise.allSettled([
    ensureImageCache({ repository, onProgress, signal }),
    ...kinds.map((kind) => start(STARTERS[kind]({ run, signal }))),
  ]);
  for (const outcome of [cache, ...started]) if (outcome.status === "rejected") throw outcome.reason;
  if (cache.status === "rejected") throw cache.reason;

  onProgress("loading the test images");
  await Promise.all(
    daemons.map(({ engine }) => loadImages(cache.value, { cli: engine.command, env: runWithEnv(engine), signal })),
  );
  const engines = await Promise.all(daemons.map(({ engine }) => addVersion(engine)));
  return { engines: engines.sort((left, right) => left.kind.localeCompare(right.kind)), directory: run.directory };
}

const runWithEnv = ({ env }: EngineDescription) => ({ ...process.env, ...env });

async function startOnHost({ repository, kinds, signal }: StartOptions): Promise<Started> {
  if (kinds.length === 0) return { engines: [] };
  if (process.platform !== "linux") {
    onProgress("the test images are made of this machine's Node.js, so container tests run on Linux (or in WSL)");
    return { engines: [] };
  }
  const engines = (await findHostEngines()).filter(({ kind }) => kinds.includes(kind));
  if (engines.length === 0) return { engines };
  const cache = await ensureImageCache({ repository, onProgress, signal });
  for (const engine of engines) {
    const present = await getJson<{ RepoTags: string[] | null }[]>(engine.host, "/images/json");
    const names = present
      .flatMap(({ RepoTags }) => RepoTags ?? [])
      .map((tag) => tag.replace(/^(docker\.io|localhost)\//, ""));
    const added = await loadImages(cache, {
      cli: engine.command,
      env: runWithEnv(engine),
      except: new Set(names),
      signal,
    });
    cleanUps.push(async () => {
      for (const tag of added) {
        await requestEngine(engine.host, "DELETE", `/images/${encodeURIComponent(tag)}`).catch((error: Error) => {
          // A container of the user's may have it by now.
          onProgress(`the image ${tag} stays: ${error.message}`);
        });
      }
    });
  }
  return { engines: await Promise.all(engines.map(addVersion)) };
}

async function main(): Promise<void> {
  const [repository, origin, names] = process.argv.slice(2);
  if (repository === undefined || names === undefined) throw new Error("Usage: engine-owner REPOSITORY ORIGIN KIND,…");
  const kinds = names.split(",").filter((name): name is EngineKind => name === "docker" || name === "podman");
  const start = (origin satisfies string | undefined as EngineOrigin) === "private" ? startPrivate : startOnHost;
  const stop = () => ended.abort(new Error("The test run ended while its engines were starting."));
  process.stdin.once("end", stop).once("close", stop).once("error", stop).resume();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  process.stdout.on("error", stop); // nobody reads any more: the run was killed

  try {
    send({ type: "ready", ...(await start({ repository, kinds, signal: ended.signal })) });
    await new Promise<void>((resolve) => {
      if (ended.signal.aborted) resolve();
      ended.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  } catch (error) {
    send({ type: "failed", message: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  }
  process.stdin.destroy();
}

await main();
