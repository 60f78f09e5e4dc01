import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ThvError } from "../support/errors.ts";
import { exitingServer } from "../testing/fake-server.ts";
import { FakeTime } from "../testing/fake-time.ts";
import { createBarrier, ECHO, readStatus, World } from "../testing/world.ts";

let time: FakeTime;
beforeEach(() => {
  time = new FakeTime();
});
afterEach(() => time[Symbol.dispose]());

describe("create", () => {
  test("answers with name and port, saves the configuration and brings the server up", async () => {
    const world = new World();
    const { supervisor } = await world.boot();

    const created = await supervisor.create({ ...ECHO, proxy_port: 12_345 });
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run");

    expect(created).toMatchObject({ name: "echo", port: 12_345, status: "starting" });
    expect(world.config("echo")).toMatchObject({ port: 12_345, desired_state: "running" });
    expect(world.running).toEqual(["echo"]);
    expect(world.network.endpoints.get(12_345)?.history).toEqual(["connect"]);
    expect(world.bugs).toEqual([]);
  });

  test("saves the configuration before the engine creates anything", async () => {
    const world = new World();
    const { supervisor } = await world.boot();
    let savedBefore: boolean | undefined;
    world.engine.interfere("createContainer", async (proceed) => {
      savedBefore = world.disk.has("echo");
      return await proceed();
    });

    await supervisor.create(ECHO);
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run");

    expect(savedBefore).toBe(true);
  });

  test("of an image that does not exist is refused and leaves nothing", async () => {
    const world = new World();
    const { supervisor } = await world.boot();

    await expect(supervisor.create({ name: "echo", image: "no/such:1" })).rejects.toMatchObject({
      code: "IMAGE_NOT_FOUND",
    });

    expect(supervisor.list()).toEqual([]);
    expect([world.containers, world.disk.size, world.network.endpoints.size]).toEqual([[], 0, 0]);
    await expect(supervisor.create(ECHO)).resolves.toMatchObject({ name: "echo" });
  });

  test("of an image whose absence takes long to find out answers first and shows the error as its status", async () => {
    const world = new World();
    const { supervisor } = await world.boot();
    const pull = createBarrier();
    world.engine.interfere("pullImage", pull.hold);

    const creating = supervisor.create({ name: "echo", image: "no/such:1" });
    await pull.reached;
    await time.advance(2_000);

    await expect(creating).resolves.toMatchObject({ status: "starting", statusContext: "pulling the image" });
    pull.open();
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "error", "the error");
    expect(supervisor.describe("echo").error).toMatchObject({ code: "IMAGE_NOT_FOUND" });
    expect(world.network.endpoints.size).toBe(0);
  });

  test("twice at once under one name lets exactly one win", async () => {
    const world = new World();
    const { supervisor } = await world.boot();

    const results = await Promise.allSettled([
      supervisor.create(ECHO),
      supervisor.create(ECHO),
      supervisor.create(ECHO),
    ]);

    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
    for (const result of results) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "WORKLOAD_EXISTS" });
    }
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the winner to run");
    expect(world.containers).toEqual(["echo"]);
    expect(world.network.endpoints.size).toBe(1);
  });

  test("without a name gets the last part of the image's, with a number where somebody has that", async () => {
    const world = new World();
    const { supervisor } = await world.boot();
    const image = "mcp/echo:1";
    world.engine.create({ name: "echo-2", image, args: [], env: {}, labels: {}, stdio: true });

    expect(await supervisor.plans.plan({ image })).toMatchObject({ name: "echo" });
    const created = await Promise.all([supervisor.create({ image }), supervisor.create({ image })]);

    expect(created.map(({ name }) => name).sort()).toEqual(["echo", "echo-3"]);
    expect(await supervisor.plans.plan({ image })).toMatchObject({ name: "echo-4" });
  });

  test("under the name of a container that is not ours is refused, and that container survives", async () => {
    const world = new World();
    world.engine.create({ name: "echo", image: "mcp/echo:1", args: [], env: {}, labels: {}, stdio: true }).start();
    const { supervisor } = await world.boot();

    await expect(supervisor.create(ECHO)).rejects.toMatchObject({ code: "CONTAINER_NAME_TAKEN" });

    expect(world.running).toEqual(["echo"]);
    expect([supervisor.list(), world.disk.size, world.network.endpoints.size]).toEqual([[], 0, 0]);
  });

  test("without an engine is refused and leaves nothing", async () => {
    const world = new World();
    world.engine.goDown();
    const { supervisor } = await world.boot();

    await expect(supervisor.create(ECHO)).rejects.toMatchObject({ code: "ENGINE_UNREACHABLE" });

    expect([supervisor.list(), world.disk.size, world.network.endpoints.size]).toEqual([[], 0, 0]);
  });

  test("finds an engine that came up a moment ago, and still reports a missing image as its answer", async () => {
    const world = new World({ latencyMs: () => 5 });
    world.engine.goDown();
    const booting = world.boot();
    await time.advance(100);
    const { supervisor } = await booting;
    await time.advance(20_000);
    world.engine.comeUp();

    const creating = supervisor.create({ name: "echo", image: "no/such:1" });
    creating.catch(() => undefined);
    await time.advance(2_500);

    await expect(creating).rejects.toMatchObject({ code: "IMAGE_NOT_FOUND" });
    expect([supervisor.list(), world.containers, world.disk.size]).toEqual([[], [], 0]);
  });

  test("on a port that is taken is refused and leaves nothing", async () => {
    const world = new World();
    const { supervisor } = await world.boot();
    await supervisor.create({ ...ECHO, proxy_port: 12_345 });

    await expect(supervisor.create({ ...ECHO, name: "other", proxy_port: 12_345 })).rejects.toMatchObject({
      code: "PORT_IN_USE",
    });

    expect([...world.disk.keys()]).toEqual(["echo"]);
    await expect(supervisor.create({ ...ECHO, name: "other" })).resolves.toMatchObject({ name: "other" });
  });

  test("that cannot be saved is refused and gives its port back", async () => {
    const world = new World();
    const { supervisor, store } = await world.boot();
    store.failures.push(new Error("no space left on device"));

    await expect(supervisor.create(ECHO)).rejects.toThrow("no space left on device");

    expect([supervisor.list(), world.containers, world.network.endpoints.size]).toEqual([[], [], 0]);
  });

  test("of a server that exits at once shows how it ended, with its last words", async () => {
    const world = new World();
    world.engine.images.set("mcp/echo:1", exitingServer(3));
    const { supervisor } = await world.boot();

    await supervisor.create(ECHO);
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "error", "the error");

    expect(supervisor.describe("echo").error).toMatchObject({
      code: "SERVER_EXITED",
      message: "The server exited with code 3.",
    });
    expect(supervisor.describe("echo").statusContext).toContain("cannot read the configuration file");
    expect(world.network.endpoints.size).toBe(0);
  });

  test("shows a failed server's last words without anything that could move a terminal's cursor", async () => {
    const world = new World();
    world.engine.images.set("mcp/echo:1", exitingServer(3, "\u001b[2J\u001b]0;owned\u0007bad\tluck\r"));
    const { supervisor } = await world.boot();

    await supervisor.create(ECHO);
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "error", "the error");

    expect(supervisor.describe("echo").statusContext).toContain("bad luck");
    expect(supervisor.describe("echo").statusContext).not.toMatch(/\p{Cc}/u);
  });

  test("of a server that never answers becomes unhealthy after two minutes, and running once it answers", async () => {
    const world = new World();
    let answer: () => void = () => undefined;
    world.engine.images.set("mcp/echo:1", ({ stdin, writeOut }) => {
      stdin.resume();
      answer = () => writeOut(JSON.stringify({ jsonrpc: "2.0", id: 2, result: {} }));
    });
    const { supervisor } = await world.boot();
    await supervisor.create(ECHO);

    await time.advance(119_000);
    expect(readStatus(supervisor, "echo")).toBe("starting");
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "unhealthy", "the status unhealthy", 2_000);
    const probe = supervisor.list();
    expect(probe[0]?.statusContext).toContain("120 s");
    await time.advance(15_500);
    answer();
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the status running", 30_000);
  });

  test.each(["createContainer", "attach", "startContainer"] as const)(
    "whose %s fails shows the engine's error, and a restart repairs it",
    async (call) => {
      const world = new World();
      const { supervisor } = await world.boot();
      world.engine.interfere(call, async () => {
        throw new ThvError("ENGINE_FAILED", "The container engine refused: out of order");
      });

      await supervisor.create(ECHO);
      await time.advanceUntil(() => readStatus(supervisor, "echo") === "error", "the error");

      expect(supervisor.describe("echo")).toMatchObject({ error: { code: "ENGINE_FAILED" } });
      expect(world.network.endpoints.size).toBe(0);
      await (await supervisor.restart("echo")).done;
      expect(readStatus(supervisor, "echo")).toBe("running");
      expect([...world.engine.containers.values()].map(({ attachmentCount }) => attachmentCount)).toEqual([1]);
    },
  );
});
