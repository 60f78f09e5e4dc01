/** Workloads when a supervisor starts, comes after another one, or ends. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ThvError } from "../src/support/errors.ts";
import { FakeTime, settle } from "../src/testing/fake-time.ts";
import { onlyContainer } from "../src/testing/only-container.ts";
import { bootEcho, catchErrorCode, ECHO, INSTANCE_ID, readStatus, World } from "../src/testing/world.ts";

let time: FakeTime;

beforeEach(() => {
  time = new FakeTime();
});

afterEach(() => time[Symbol.dispose]());

describe("a supervisor that comes after another", () => {
  test("shows what ran as starting, and says that it takes it over, until it has found it", async () => {
    const world = new World();
    const { life } = await bootEcho(world, time);
    life.kill();

    const { supervisor } = await world.load();
    expect(supervisor.describe("echo")).toMatchObject({ status: "starting", isTakenOver: true });
    await supervisor.start();
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to be found again");

    expect(supervisor.describe("echo").isTakenOver).toBeUndefined();
    // A later restart of the server is no takeover.
    onlyContainer(world).exit(1);
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "starting", "the server to be started again");
    expect(supervisor.describe("echo").isTakenOver).toBeUndefined();
  });

  test("and finds no engine shows what ran as unknown, with the reason", async () => {
    const world = new World();
    const { life } = await bootEcho(world, time);
    life.kill();
    world.engine.goDown();

    const { supervisor } = await world.boot();
    await settle();

    expect(supervisor.describe("echo")).toMatchObject({
      status: "unknown",
      statusContext: "The fake engine does not answer.",
    });
    expect(supervisor.describe("echo").isTakenOver).toBeUndefined();
  });
});

describe("a supervisor that starts", () => {
  test("carries on with the sessions of servers whose input the engine kept open", async () => {
    const world = new World({ kind: "docker" });
    const first = await bootEcho(world, time);
    const { port } = first.supervisor.describe("echo");
    first.life.kill();

    const { supervisor } = await world.boot();
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run");

    expect(onlyContainer(world)).toMatchObject({ starts: 1, attachmentCount: 1 });
    expect(world.network.endpoints.get(port)?.history).toEqual(["resume"]);
    expect(supervisor.describe("echo")).toMatchObject({ port, statusContext: "" });
  });

  test("starts a server again that ends at the moment it is attached to", async () => {
    const world = new World({ kind: "docker" });
    const first = await bootEcho(world, time);
    first.life.kill();
    world.engine.interfere("attach", async (proceed) => {
      onlyContainer(world).exit(1);
      return await proceed();
    });

    const { supervisor } = await world.boot();
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run", 10_000);

    expect(onlyContainer(world)).toMatchObject({ starts: 2, attachmentCount: 1 });
  });

  test("starts servers again on an engine that closed their input, at the same address", async () => {
    const world = new World({ kind: "podman" });
    const first = await bootEcho(world, time);
    const { port } = first.supervisor.describe("echo");
    first.life.kill();
    await settle();

    const { supervisor } = await world.boot();
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run");

    expect(onlyContainer(world)).toMatchObject({ starts: 2, attachmentCount: 1 });
    expect(world.network.endpoints.get(port)?.history).toEqual(["connect"]);
  });

  test("says why it restarted a server of Podman's that was still up", async () => {
    const world = new World({ kind: "podman" });
    // A server that ignores the end of its input is still up when the next supervisor checks.
    world.engine.images.set("mcp/echo:1", ({ stdin, writeOut }) => {
      stdin.on("data", (line) => {
        const { id } = JSON.parse(String(line)) as { id: number };
        writeOut(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
      });
    });
    const first = await bootEcho(world, time);
    first.life.kill();
    await settle();

    const { supervisor } = await world.boot();
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run");

    expect(supervisor.describe("echo").statusContext).toContain("restarted with its supervisor");
    expect(onlyContainer(world).starts).toBe(2);
  });

  test("without an engine shows what should run as unknown and what should not as stopped", async () => {
    const world = new World();
    const first = await bootEcho(world, time);
    await first.supervisor.create({ ...ECHO, name: "idle" });
    await (await first.supervisor.stop("idle")).done;
    first.life.kill();
    world.engine.goDown();

    const { supervisor } = await world.boot();

    expect(supervisor.list().map(({ name, status }) => [name, status])).toEqual([
      ["echo", "unknown"],
      ["idle", "stopped"],
    ]);
  });

  test("removes containers of its own without a configuration, and no others", async () => {
    const world = new World();
    const make = (name: string, labels: Record<string, string>) =>
      world.engine.create({ name, image: "mcp/echo:1", args: [], env: {}, labels, stdio: true }).start();
    make("orphan", { toolhive: "true", "toolhive-instance": INSTANCE_ID });
    make("other-home", { toolhive: "true", "toolhive-instance": "another" });
    make("foreign", {});

    await world.boot();
    await settle();

    expect(world.containers).toEqual(["foreign", "other-home"]);
  });

  test("does not undo a deletion that was requested while it inspected a stopped workload", async () => {
    const world = new World();
    const first = await bootEcho(world, time);
    await (await first.supervisor.stop("echo")).done;
    first.life.kill();
    let lookOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      lookOn = resolve;
    });
    world.engine.interfere("findContainer", async (proceed) => {
      const found = await proceed();
      await held;
      return found;
    });
    // Somebody has started it by hand, so that it has to be stopped again.
    onlyContainer(world).start();
    const { supervisor } = await world.boot();
    await settle();

    const deleting = supervisor.delete("echo");
    lookOn();
    await (await deleting).done;
    await time.advance(1_000);

    expect([supervisor.list(), world.containers, world.disk.size, world.bugs]).toEqual([[], [], 0, []]);
  });

  test("is not held up by an orphan that cannot be removed", async () => {
    const world = new World();
    const first = await bootEcho(world, time);
    first.life.kill();
    world.engine.create({
      name: "orphan",
      image: "mcp/echo:1",
      args: [],
      env: {},
      labels: { toolhive: "true", "toolhive-instance": INSTANCE_ID },
      stdio: true,
    });
    world.engine.interfere("removeContainer", async () => {
      throw new ThvError("ENGINE_FAILED", "The container engine refused: device or resource busy");
    });

    const { supervisor } = await world.boot();
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run");

    expect(world.containers).toEqual(["echo", "orphan"]);
  });

  test("survives a stopped workload whose name now belongs to somebody else's container", async () => {
    const world = new World();
    const first = await bootEcho(world, time);
    await (await first.supervisor.stop("echo")).done;
    first.life.kill();
    world.engine.remove(onlyContainer(world));
    world.engine.create({ name: "echo", image: "mcp/echo:1", args: [], env: {}, labels: {}, stdio: true }).start();

    const { supervisor } = await world.boot();
    await settle();

    expect(readStatus(supervisor, "echo")).toBe("stopped");
    await (await supervisor.restart("echo")).done;
    expect(catchErrorCode(supervisor, "echo")).toBe("CONTAINER_NAME_TAKEN");
    expect(world.running).toEqual(["echo"]);
  });

  test("creates the container again when its configuration was changed", async () => {
    const world = new World();
    const first = await bootEcho(world, time);
    first.life.kill();
    const before = onlyContainer(world);
    world.disk.set("echo", JSON.stringify({ ...world.config("echo"), env_vars: { LEVEL: "debug" } }));

    const { supervisor } = await world.boot();
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run");

    expect(onlyContainer(world)).not.toBe(before);
    expect(onlyContainer(world).spec.env).toMatchObject({ LEVEL: "debug" });
  });

  test("shows a damaged configuration, refuses to use it, and deletes it with its container", async () => {
    const world = new World();
    const first = await bootEcho(world, time);
    first.life.kill();
    world.disk.set("echo", "{");

    const { supervisor } = await world.boot();
    await settle();

    expect(supervisor.describe("echo")).toMatchObject({ status: "error", error: { code: "STATE_CORRUPT" } });
    expect(world.running).toEqual(["echo"]);
    await expect(supervisor.restart("echo")).rejects.toMatchObject({ code: "STATE_CORRUPT" });
    await expect(supervisor.stop("echo")).rejects.toMatchObject({ code: "STATE_CORRUPT" });
    await expect(supervisor.create(ECHO)).rejects.toMatchObject({ code: "WORKLOAD_EXISTS" });
    await (await supervisor.delete("echo")).done;
    expect([supervisor.list(), world.containers, world.disk.size]).toEqual([[], [], 0]);
  });
});

describe("a supervisor that ends", () => {
  test("stops the containers, frees the ports and keeps the desired states", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);

    await supervisor.close({ keepContainers: false });

    expect([world.running, world.network.endpoints.size]).toEqual([[], 0]);
    expect(world.config("echo")?.desired_state).toBe("running");
    const next = await world.boot();
    await time.advanceUntil(() => readStatus(next.supervisor, "echo") === "running", "the server to run again");
  });

  test("leaves the containers running for a successor that takes over", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);

    await supervisor.close({ keepContainers: true });

    expect(onlyContainer(world)).toMatchObject({ isRunning: true, attachmentCount: 0 });
    expect(world.network.endpoints.size).toBe(0);
  });

  test("starts nothing any more, whatever happens while it lets go", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    let letStop: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letStop = resolve;
    });
    world.engine.interfere("stopContainer", async (proceed) => {
      await held;
      return await proceed();
    });

    const closing = supervisor.close({ keepContainers: false });
    await settle();
    await expect(supervisor.create({ ...ECHO, name: "late" })).rejects.toMatchObject({
      code: "SUPERVISOR_UNREACHABLE",
    });
    await expect(supervisor.restart("echo")).rejects.toMatchObject({ code: "SUPERVISOR_UNREACHABLE" });
    letStop();
    await closing;

    expect([world.running, world.network.endpoints.size, [...world.disk.keys()]]).toEqual([[], 0, ["echo"]]);
  });

  test("takes back a create that it overtakes", async () => {
    const world = new World();
    const { supervisor } = await world.boot();
    let proceedWith: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      proceedWith = resolve;
    });
    world.engine.interfere("findContainer", async (proceed) => {
      await held;
      return await proceed();
    });
    const creating = supervisor.create(ECHO);
    creating.catch(() => undefined);
    await settle();

    await supervisor.close({ keepContainers: false });
    proceedWith();

    await expect(creating).rejects.toMatchObject({ code: "SUPERVISOR_UNREACHABLE" });
    expect([world.containers, world.network.endpoints.size, world.disk.size]).toEqual([[], 0, 0]);
  });

  test("while the engine comes back does not start servers", async () => {
    const world = new World();
    const first = await bootEcho(world, time);
    await first.supervisor.close({ keepContainers: false });
    world.engine.goDown();
    const { supervisor } = await world.boot();
    world.engine.comeUp();

    await Promise.all([supervisor.close({ keepContainers: false }), time.advance(20_000)]);
    await settle();

    expect([world.running, world.network.endpoints.size]).toEqual([[], 0]);
  });
});
