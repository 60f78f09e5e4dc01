import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ThvError } from "../support/errors.ts";
import { silentServer } from "../testing/fake-server.ts";
import { FakeTime } from "../testing/fake-time.ts";
import { bootEcho, catchErrorCode, createBarrier, ECHO, readStatus, World } from "../testing/world.ts";

let time: FakeTime;
beforeEach(() => {
  time = new FakeTime();
});
afterEach(() => time[Symbol.dispose]());

describe("stop, restart and delete", () => {
  test("stop ends container and endpoint, and keeps both configuration and container", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);

    const { done } = await supervisor.stop("echo");
    expect(readStatus(supervisor, "echo")).toBe("stopping");
    await done;

    expect(readStatus(supervisor, "echo")).toBe("stopped");
    expect(world.config("echo")?.desired_state).toBe("stopped");
    expect([world.containers, world.running, world.network.endpoints.size]).toEqual([["echo"], [], 0]);
  });

  test("stop gives the server the requested time, and thirty seconds without one", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    const graces: unknown[] = [];
    const watch = async (proceed: () => Promise<unknown>, [, graceSeconds]: readonly unknown[]) => {
      graces.push(graceSeconds);
      return await proceed();
    };
    world.engine.interfere("stopContainer", watch, { always: true });

    await (await supervisor.stop("echo", 3)).done;
    await (await supervisor.restart("echo")).done;
    await (await supervisor.stop("echo")).done;

    expect(graces).toEqual([3, 30]);
  });

  test("stop of what is stopped succeeds", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    await (await supervisor.stop("echo")).done;

    await (await supervisor.stop("echo")).done;

    expect(readStatus(supervisor, "echo")).toBe("stopped");
    expect(world.bugs).toEqual([]);
  });

  test("restart keeps endpoint and port, so that clients keep their sessions", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    const { port } = supervisor.describe("echo");
    const endpoint = world.network.endpoints.get(port);

    await (await supervisor.restart("echo")).done;

    expect(readStatus(supervisor, "echo")).toBe("running");
    expect(world.network.endpoints.get(port)).toBe(endpoint);
    expect(endpoint?.history).toEqual(["connect", "disconnect", "connect"]);
    expect([...world.engine.containers.values()].map(({ starts }) => starts)).toEqual([2]);
  });

  test("restart survives an engine that ends the server once, right after its earlier run", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    world.engine.interfere("startContainer", async (proceed) => {
      await proceed();
      world.engine.find("echo")?.exit(0);
    });

    await (await supervisor.restart("echo")).done;

    expect([readStatus(supervisor, "echo"), world.running]).toEqual(["running", ["echo"]]);
    expect(world.engine.find("echo")?.attachmentCount).toBe(1);
  });

  test("restart of a server that cannot start any more shows why, after two starts", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    const container = world.engine.find("echo");
    world.engine.interfere(
      "startContainer",
      async (proceed) => {
        await proceed();
        container?.exit(3);
      },
      { always: true },
    );

    await (await supervisor.restart("echo")).done;

    expect(supervisor.describe("echo").error).toMatchObject({
      code: "SERVER_EXITED",
      message: "The server exited with code 3.",
    });
    expect([container?.starts, container?.attachmentCount, world.network.endpoints.size]).toEqual([3, 0, 0]);
  });

  test("restart of a stopped workload opens its old port again", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    const { port } = supervisor.describe("echo");
    await (await supervisor.stop("echo")).done;

    await (await supervisor.restart("echo")).done;

    expect(supervisor.describe("echo")).toMatchObject({ status: "running", port });
    expect(world.network.endpoints.get(port)?.history).toEqual(["connect"]);
  });

  test("delete leaves nothing, and the name is free again", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);

    const { done } = await supervisor.delete("echo");
    expect(readStatus(supervisor, "echo")).toBe("removing");
    await done;

    expect([supervisor.list(), world.containers, world.disk.size, world.network.endpoints.size]).toEqual([
      [],
      [],
      0,
      0,
    ]);
    await expect(supervisor.create(ECHO)).resolves.toMatchObject({ name: "echo" });
  });

  test.each(["stop", "restart"] as const)("%s is refused while the workload is being removed", async (action) => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    const removal = createBarrier();
    world.engine.interfere("removeContainer", removal.hold);
    const { done } = await supervisor.delete("echo");

    await expect(supervisor[action]("echo")).rejects.toMatchObject({ code: "WORKLOAD_BUSY" });

    removal.open();
    await done;
    expect(supervisor.list()).toEqual([]);
  });

  test.each(["stop", "restart", "delete"] as const)("%s of an unknown workload is refused", async (action) => {
    const { supervisor } = await new World().boot();

    await expect(supervisor[action]("nope")).rejects.toMatchObject({ code: "WORKLOAD_NOT_FOUND" });
    expect(() => supervisor.describe("nope")).toThrow('There is no server "nope".');
  });

  test("a stop that cannot be saved stops the server, says so, and is saved as soon as that is possible", async () => {
    const world = new World();
    const { supervisor, store } = await bootEcho(world, time);
    store.failures.push(new Error("no space left on device"));

    await (await supervisor.stop("echo")).done;

    expect([readStatus(supervisor, "echo"), world.running]).toEqual(["stopped", []]);
    expect(supervisor.describe("echo").statusContext).toMatch(/could not be saved: no space left on device$/);
    expect(world.config("echo")?.desired_state).toBe("running");
    // A supervisor that ended now would forget it.
    expect(supervisor.isIdle).toBe(false);
    await time.advanceUntil(() => world.config("echo")?.desired_state === "stopped", "the state to be saved");
    expect(supervisor.describe("echo").statusContext).toBe("");
    expect([supervisor.isIdle, world.bugs]).toEqual([true, []]);
  });

  test("a removal that cannot be noted is done nevertheless", async () => {
    const world = new World();
    const { supervisor, store } = await bootEcho(world, time);
    store.failures.push(new Error("no space left on device"));

    await (await supervisor.delete("echo")).done;

    expect([supervisor.list(), world.containers, world.disk.size]).toEqual([[], [], 0]);
  });

  test("an action after one that could not be saved works", async () => {
    const world = new World();
    const { supervisor, store } = await bootEcho(world, time);
    store.failures.push(new Error("no space left on device"));
    await (await supervisor.stop("echo")).done;

    await (await supervisor.restart("echo")).done;
    expect([readStatus(supervisor, "echo"), world.config("echo")?.desired_state]).toEqual(["running", "running"]);
    await (await supervisor.stop("echo")).done;

    expect([readStatus(supervisor, "echo"), world.config("echo")?.desired_state]).toEqual(["stopped", "stopped"]);
  });

  test("two stops at once of which saving fails both stop it", async () => {
    const world = new World();
    const { supervisor, store } = await bootEcho(world, time);
    store.failures.push(new Error("no space left on device"));

    const accepted = await Promise.all([supervisor.stop("echo"), supervisor.stop("echo")]);
    await Promise.all(accepted.map(({ done }) => done));

    expect([readStatus(supervisor, "echo"), world.running]).toEqual(["stopped", []]);
  });

  test("a removal that the engine refuses shows why, and can be repeated", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    world.engine.interfere("removeContainer", async () => {
      throw new ThvError("ENGINE_FAILED", "The container engine refused: device or resource busy");
    });

    await (await supervisor.delete("echo")).done;

    expect(supervisor.describe("echo").statusContext).toContain("cannot remove: ");
    expect(catchErrorCode(supervisor, "echo")).toBe("ENGINE_FAILED");
    await (await supervisor.delete("echo")).done;
    expect([supervisor.list(), world.containers, world.disk.size]).toEqual([[], [], 0]);
  });
});

describe("an operation that overtakes another", () => {
  test("stop during a pull ends the pull and leaves it stopped", async () => {
    const world = new World();
    world.engine.registry.set("far/away:1", silentServer);
    const { supervisor } = await world.boot();
    const pull = createBarrier();
    world.engine.interfere("pullImage", pull.hold);
    const creating = supervisor.create({ name: "echo", image: "far/away:1" });
    await pull.reached;

    await (await supervisor.stop("echo")).done;

    expect(readStatus(supervisor, "echo")).toBe("stopped");
    await creating;
    expect([world.containers, world.network.endpoints.size, world.bugs]).toEqual([[], 0, []]);
  });

  test("delete during a pull ends the pull and leaves nothing", async () => {
    const world = new World();
    const { supervisor } = await world.boot();
    const pull = createBarrier();
    world.engine.interfere("pullImage", pull.hold);
    const creating = supervisor.create({ name: "echo", image: "far/away:1" });
    await pull.reached;

    await (await supervisor.delete("echo")).done;

    await creating;
    expect([supervisor.list(), world.containers, world.disk.size, world.network.endpoints.size]).toEqual([
      [],
      [],
      0,
      0,
    ]);
  });

  test.each(["createContainer", "attach", "startContainer"] as const)(
    "stop during %s waits for it and leaves the container stopped",
    async (call) => {
      const world = new World();
      const { supervisor } = await world.boot();
      const held = createBarrier();
      world.engine.interfere(call, held.hold);
      await supervisor.create(ECHO);
      await held.reached;

      const { done } = await supervisor.stop("echo");
      held.open();
      await done;

      expect(readStatus(supervisor, "echo")).toBe("stopped");
      expect([world.running, world.network.endpoints.size, world.bugs]).toEqual([[], 0, []]);
    },
  );

  test.each(["createContainer", "attach", "startContainer"] as const)(
    "stop and then restart during %s end with a running server",
    async (call) => {
      const world = new World();
      const { supervisor } = await world.boot();
      const held = createBarrier();
      world.engine.interfere(call, held.hold);
      await supervisor.create(ECHO);
      await held.reached;

      await supervisor.stop("echo");
      const { done } = await supervisor.restart("echo");
      held.open();
      await done;

      expect(readStatus(supervisor, "echo")).toBe("running");
      expect(world.config("echo")?.desired_state).toBe("running");
      expect([world.running, world.bugs]).toEqual([["echo"], []]);
    },
  );

  test("delete during a restart leaves nothing", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    const held = createBarrier();
    world.engine.interfere("startContainer", held.hold);
    await supervisor.restart("echo");
    await held.reached;

    const { done } = await supervisor.delete("echo");
    held.open();
    await done;

    expect([supervisor.list(), world.containers, world.disk.size, world.network.endpoints.size]).toEqual([
      [],
      [],
      0,
      0,
    ]);
    expect(world.bugs).toEqual([]);
  });

  test("a second delete does not touch the workload that was created after the first", async () => {
    let latencyMs = 1;
    const world = new World({ latencyMs: () => latencyMs });
    const booting = world.boot();
    await time.advance(100);
    const { supervisor } = await booting;
    const creating = supervisor.create(ECHO);
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run");
    await creating;
    const removal = createBarrier();
    world.engine.interfere("removeContainer", removal.hold);
    const first = supervisor.delete("echo");
    await time.advance(10);
    const deleting = [first, supervisor.delete("echo")];
    await time.advance(10);
    removal.open();
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "absent", "the workload to be gone");

    // What the second one does next takes so long that the new workload is there before it is done.
    latencyMs = 500;
    await time.advance(2);
    latencyMs = 1;
    const again = supervisor.create(ECHO);
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the new one to run");
    await again;
    await time.advance(10_000);
    await Promise.all(deleting.map(async (each) => await (await each).done));

    expect(readStatus(supervisor, "echo")).toBe("running");
    expect([world.running, [...world.disk.keys()]]).toEqual([["echo"], ["echo"]]);
  });
});
