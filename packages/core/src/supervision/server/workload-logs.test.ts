/** The log of a server that speaks HTTP, which the engine keeps, over restarts of the server. */
import { expect, test, vi } from "vitest";
import type { ContainerSpec } from "../../ports/container-engine.ts";
import { FakeEngine } from "../../testing/fake-engine.ts";
import { MemoryLogFile } from "../../testing/memory-log-file.ts";
import { WorkloadLogs } from "./workload-logs.ts";

const WAIT = { timeout: 20_000, interval: 5 };
const SPEC: ContainerSpec = {
  name: "web",
  image: "mcp/web:1",
  args: [],
  env: {},
  labels: {},
  stdio: false,
};
const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };

test("shows what a build printed until the server has run", async () => {
  const { logs } = await startWeb();
  logs.noteBuildOutput("npm error code 1");

  const read = async () => (await logs.read({ tail: 10 }, AbortSignal.timeout(10_000))).map(({ text }) => text);
  expect(await read()).toEqual(["npm error code 1"]);

  await logs.noteRun();
  logs.noteBuildOutput("a later build");
  expect(await read()).toEqual([]);
});

test("shows no output of a build that has made its image, which would hide why the server failed", async () => {
  const { logs } = await startWeb();
  logs.noteBuildOutput("Installed 1 executable");

  logs.noteBuilt();

  const read = async () => (await logs.read({ tail: 10 }, AbortSignal.timeout(10_000))).map(({ text }) => text);
  expect(await read()).toEqual([]);
  logs.noteBuildOutput("a later build");
  expect(await read()).toEqual(["a later build"]);
});

test("shows a follower what a build prints while it prints it, then what the server writes", async () => {
  const { logs, create, follow, end } = await startWeb();
  logs.noteBuildOutput("first");
  const { texts, done } = follow(10);
  await vi.waitFor(() => expect(texts).toEqual(["first"]), WAIT);

  logs.noteBuildOutput("second");
  await vi.waitFor(() => expect(texts).toEqual(["first", "second"]), WAIT);
  const container = await create();
  await vi.waitFor(() => expect(texts).toEqual(["first", "second", "ready", "run 1"]), WAIT);

  logs.noteBuildOutput("npm error code 1");
  container.exit(0);
  end();
  await done;
  expect(texts).toEqual(["first", "second", "ready", "run 1", "npm error code 1"]);
});

async function startWeb() {
  const fake = new FakeEngine({ kind: "podman" });
  let run = 0;
  fake.images.set(SPEC.image, ({ stdin, writeErr }) => {
    stdin.resume();
    run += 1;
    writeErr("ready");
    writeErr(`run ${run}`);
  });
  const engine = await fake.connect();
  const create = async () => {
    const id = await engine.createContainer(SPEC);
    await engine.startContainer(id);
    const container = fake.containers.get(id);
    if (!container) throw new Error("There is no container.");
    return container;
  };
  let isOver = false;
  const logs = new WorkloadLogs(
    { name: "web", transport: "streamable-http" },
    {
      openLogFile: (name) => new MemoryLogFile(name, new Map()),
      requireEngine: async () => engine,
      findContainer: (connection) => connection.findContainer(SPEC.name),
      readDenials: async () => [],
      isOver: () => isOver,
      log,
    },
  );
  const end = () => {
    isOver = true;
    logs.notifyChange();
  };
  const follow = (tail: number) => {
    const texts: string[] = [];
    const done = (async () => {
      const lines = await logs.follow({ tail }, new AbortController().signal);
      for await (const { text } of lines) texts.push(text);
    })();
    return { texts, done };
  };
  /** Until the reader of the engine's log was opened so many times. */
  const untilReaders = async (count: number) => {
    const readers = () => fake.calls.filter((call) => call === "followLogs").length;
    await vi.waitFor(() => expect(readers()).toBe(count), WAIT);
  };
  return { logs, engine, create, follow, end, untilReaders };
}

/** So that two starts have different moments. */
async function untilNextMoment(): Promise<void> {
  const now = Date.now();
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(now), { timeout: 20_000, interval: 1 });
}

const ALL = ["ready", "run 1", "ready", "run 2", "ready", "run 3"];

test("a line that the reader of the run before got already comes once", async () => {
  const { create, follow, end, untilReaders } = await startWeb();
  const container = await create();
  const { texts, done } = follow(Number.POSITIVE_INFINITY);
  await vi.waitFor(() => expect(texts).toEqual(ALL.slice(0, 2)), WAIT);
  await untilNextMoment();

  // Podman ends a reader a moment after the container: a start within it goes on in the same answer.
  container.exit(0);
  container.start();
  await vi.waitFor(() => expect(texts).toEqual(ALL.slice(0, 4)), WAIT);
  container.exit(0);
  await untilReaders(2);
  await untilNextMoment();
  container.start();
  await vi.waitFor(() => expect(texts.at(-1)).toBe("run 3"), WAIT);
  container.exit(0);
  end();
  await done;

  expect(texts).toEqual(ALL);
});

test("a container that was created again is read from its beginning, and of the one before it the newest lines that were asked for", async () => {
  const { engine, create, follow, end } = await startWeb();
  const container = await create();
  const { texts, done } = follow(1);
  await vi.waitFor(() => expect(texts).toEqual(["run 1"]), WAIT);

  container.exit(0);
  await engine.removeContainer(container.id);
  const next = await create();
  await vi.waitFor(() => expect(texts).toEqual(["run 1", "ready", "run 2"]), WAIT);
  next.exit(0);
  end();
  await done;

  expect(texts).toEqual(["run 1", "ready", "run 2"]);
});
