/**
 * Engines by who uses them, for tests of what differs: the engines of the whole suite as root and as an ordinary user, and
 * those that a few tests start for themselves. An engine that was started stays for the files after it, and goes with the run.
 */
import { chmod, chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { inject } from "vitest";
import { requestEngine } from "../engines/engine-api.ts";
import type { EngineDaemon, EngineDescription, OrdinaryUser } from "../engines/engine-daemon.ts";
import { addVersion } from "../engines/engine-daemon.ts";
import { startPrivateDocker } from "../engines/private-docker.ts";
import { type TestEngine, toTestEngine } from "../engines/start-engines.ts";
import { ensureImageCache } from "../images/image-cache.ts";
import { loadImages } from "../images/load-images.ts";
import { findRepositoryRoot } from "../repository.ts";
import { getTestEngines } from "../test-engines.ts";
import { findNewestDocker } from "./newest-docker.ts";
import { describeUser, findRootlessObstacle, findUserObstacle } from "./ordinary-user.ts";
import { startRootlessDocker, startRootlessPodman } from "./rootless-engines.ts";

export interface OpenPair {
  readonly engine: TestEngine;
  /** Who runs `thv`, for `ThrowawayHome.create`. Absent: the user of the tests. */
  readonly user?: OrdinaryUser;
}

export interface EnginePair {
  /** For `describe.each(pairs)("… on $title")`: the engine, its user, and, in parentheses, why it is left out. */
  readonly title: string;
  readonly kind: "docker" | "podman";
  readonly isRootless: boolean;
  /** Whether an ordinary user runs `thv`, who is not the user of the tests. */
  readonly isOrdinaryUser: boolean;
  /** Whether the whole suite runs on this engine, too, as root. */
  readonly isInSuite: boolean;
  /** Why it cannot be tested here: for `describe.skipIf(obstacle !== undefined)`. */
  readonly obstacle: string | undefined;
  /** Starts the engine where it does not run yet, with the test images: call it in `beforeAll`. */
  open(): Promise<OpenPair>;
}

type Facts = Omit<EnginePair, "title" | "obstacle" | "open">;
type Start = (run: { directory: string; name: string }, user: OrdinaryUser) => Promise<EngineDaemon>;

function definePair(name: string, facts: Facts, obstacle: string | undefined, open: EnginePair["open"]): EnginePair {
  return { ...facts, title: obstacle === undefined ? name : `${name} (skipped: ${obstacle})`, obstacle, open };
}

/** The engine of this name that runs already in this run. */
async function findRunning(note: string): Promise<EngineDescription | undefined> {
  const text = await readFile(note, "utf8").catch(() => undefined); // it was not started yet
  if (text === undefined) return undefined;
  const engine = JSON.parse(text) as EngineDescription;
  await requestEngine(engine.host, "GET", "/_ping");
  return engine;
}

async function startOnce(directory: string, name: string, start: Start): Promise<TestEngine> {
  const note = join(directory, `${name}.json`);
  const running = await findRunning(note);
  if (running !== undefined) return toTestEngine(running);
  const run = { directory, name: basename(directory) };
  const daemon = await start(run, describeUser(directory));
  try {
    const { signal } = new AbortController();
    const onProgress = () => undefined;
    const cache = await ensureImageCache({ repository: findRepositoryRoot(), onProgress, signal });
    const { command, env } = daemon.engine;
    await loadImages(cache, { cli: command, env: { ...process.env, ...env }, signal });
    const engine = await addVersion(daemon.engine);
    await writeFile(note, JSON.stringify(engine));
    return toTestEngine(engine);
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}

/** Lets the user of the group use the socket, as membership in the group `docker` does. */
async function openSocket({ socket }: EngineDescription, { gid }: OrdinaryUser): Promise<void> {
  await chown(socket, 0, gid);
  await chmod(socket, 0o660);
}

/** Those of the suite, and those beside it, of this lane's engines. */
export async function listEnginePairs(): Promise<EnginePair[]> {
  const kinds = inject("engineKinds");
  return (await listPairsAmong(getTestEngines(), inject("runDirectory"))).filter(({ kind }) => kinds.includes(kind));
}

/**
 * The same without a test runner.
 *
 * @param engines Of the suite.
 * @param directory Of the run; empty where the engines are not its own.
 */
export async function listPairsAmong(engines: readonly TestEngine[], directory: string): Promise<EnginePair[]> {
  const user = directory === "" ? undefined : describeUser(directory);
  const noUser = user === undefined ? "it needs the private engines of the tests" : findUserObstacle(user);
  const noRootless = user === undefined ? noUser : findRootlessObstacle(user);
  const newest = await findNewestDocker();
  const words = { docker: "Docker", podman: "Podman" };
  const inSuite = { isRootless: false, isOrdinaryUser: false, isInSuite: true };
  const beside = { isRootless: true, isOrdinaryUser: true, isInSuite: false };
  const start = (name: string, starter: Start) => async () => {
    if (user === undefined) throw new Error(`${name} is not started here: ${noUser}`);
    return { engine: await startOnce(directory, name, starter), user };
  };
  const { signal } = new AbortController();
  return [
    ...engines.map((engine) =>
      definePair(words[engine.kind], { ...inSuite, kind: engine.kind }, undefined, async () => ({ engine })),
    ),
    ...engines
      .filter(({ kind }) => kind === "docker")
      .map((engine) =>
        definePair(
          "Docker used by an ordinary user",
          { ...inSuite, kind: "docker", isOrdinaryUser: true },
          noUser,
          async () => {
            if (user === undefined) return { engine };
            await openSocket(engine, user);
            return { engine, user };
          },
        ),
      ),
    definePair(
      "rootless Docker",
      { ...beside, kind: "docker" },
      noRootless,
      start("rootless-docker", (run, owner) => startRootlessDocker({ run, user: owner, signal })),
    ),
    definePair(
      "rootless Podman",
      { ...beside, kind: "podman" },
      noRootless,
      start("rootless-podman", (run, owner) => startRootlessPodman({ run, user: owner, signal })),
    ),
    definePair(
      "newest Docker used by an ordinary user",
      { ...beside, kind: "docker", isRootless: false },
      noUser ?? newest.obstacle,
      start("newest-docker", async (run, { gid }) => {
        await mkdir(join(run.directory, "newest-docker"), { recursive: true });
        const args = ["--group", `${gid}`];
        return await startPrivateDocker({ run, signal, name: "newest-docker", programs: newest.programs, args });
      }),
    ),
  ];
}
