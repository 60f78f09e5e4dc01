import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Deferred } from "../src/support/deferred.ts";
import { ThvError } from "../src/support/errors.ts";
import { FakeTime, settle } from "../src/testing/fake-time.ts";
import { bootEcho, catchErrorCode, ECHO, INSTANCE_ID, readStatus, World } from "../src/testing/world.ts";

let time: FakeTime;
beforeEach(() => {
  time = new FakeTime();
});
afterEach(() => time[Symbol.dispose]());

function onlyContainer(world: World) {
  const [container] = world.engine.containers.values();
  if (!container) throw new Error("there is no container");
  return container;
}

describe("a server that crashes", () => {
  test("is started again in the same container, and clients keep their endpoint", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    const container = onlyContainer(world);
    const { port } = supervisor.describe("echo");

    container.exit(1);
    await settle();
    expect(supervisor.describe("echo")).toMatchObject({
      status: "starting",
      statusContext: "The server exited with code 1. Restarting in 0.25 s, attempt 1 of 6.",
    });
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run again");

    expect(onlyContainer(world)).toBe(container);
    expect(container).toMatchObject({ starts: 2, attachmentCount: 1 });
    expect(world.network.endpoints.get(port)?.history).toEqual(["connect", "disconnect", "connect"]);
  });

  test("again and again is given up after six restarts, with waits that double and the last reason", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    const container = onlyContainer(world);
    const startedAt: number[] = [];
    world.engine.interfere(
      "startContainer",
      async (proceed) => {
        startedAt.push(Date.now());
        await proceed();
        container.exit(7);
      },
      { always: true },
    );

    const crashedAt = Date.now();
    container.exit(7);
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "error", "the error");

    const waits = startedAt.map((at, index) => at - (startedAt[index - 1] ?? crashedAt));
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000]);
    expect(supervisor.describe("echo").error).toMatchObject({
      code: "SERVER_EXITED",
      message: "The server exited with code 7. Gave up after 6 restarts.",
      hint: "Read its output with: thv logs echo",
    });
    expect(world.network.endpoints.size).toBe(0);
  });

  test("after a minute of calm has its earlier crashes forgotten", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    for (let crash = 1; crash <= 8; crash += 1) {
      await time.advance(61_000);
      onlyContainer(world).exit(1);
      await settle();
      expect(supervisor.describe("echo").statusContext).toContain("attempt 1 of 6");
      await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run again");
    }
  });

  test("can be brought back by hand after it was given up, with all its restarts", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    const container = onlyContainer(world);
    for (let crash = 1; crash <= 7; crash += 1) {
      container.exit(1);
      await settle();
      await time.advanceUntil(() => /running|error/.test(readStatus(supervisor, "echo")), "the end of the restart");
    }
    expect(readStatus(supervisor, "echo")).toBe("error");

    await (await supervisor.restart("echo")).done;

    expect(readStatus(supervisor, "echo")).toBe("running");
    container.exit(1);
    await settle();
    expect(supervisor.describe("echo").statusContext).toContain("attempt 1 of 6");
  });

  test("stays stopped when it is stopped while it waits for its restart", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    onlyContainer(world).exit(1);
    await settle();

    await (await supervisor.stop("echo")).done;
    await time.advance(60_000);

    expect([readStatus(supervisor, "echo"), world.running, world.network.endpoints.size]).toEqual(["stopped", [], 0]);
    expect(world.bugs).toEqual([]);
  });

  test("comes back in a new container when the old one was removed by somebody else", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    const before = onlyContainer(world);

    world.engine.remove(before);
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "starting", "the restart");
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run again");

    expect(onlyContainer(world)).not.toBe(before);
    expect(world.running).toEqual(["echo"]);
  });

  test("is not taken for crashed because the end of its earlier run is reported late", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    const container = onlyContainer(world);
    await (await supervisor.restart("echo")).done;

    world.engine.report({ action: "die", containerId: container.id, containerName: "echo", exitCode: 143 });
    await time.advance(5_000);

    expect(readStatus(supervisor, "echo")).toBe("running");
    expect(container.starts).toBe(2);
  });
});

describe("health", () => {
  test("three missed pings in a row make it unhealthy, one answer makes it well", async () => {
    const world = new World();
    let isSilent = false;
    world.engine.images.set("mcp/echo:1", ({ stdin, writeOut }) => {
      stdin.on("data", (line) => {
        const { id } = JSON.parse(String(line)) as { id: number };
        if (!isSilent) writeOut(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
      });
    });
    const { supervisor } = await bootEcho(world, time);

    isSilent = true;
    await time.advance(2 * 15_000 + 10_500);
    expect(readStatus(supervisor, "echo")).toBe("running");
    await time.advance(15_000);
    expect(supervisor.describe("echo")).toMatchObject({
      status: "unhealthy",
      statusContext: "the server runs but has not answered 3 pings in a row",
    });
    isSilent = false;
    await time.advance(15_000);

    expect(readStatus(supervisor, "echo")).toBe("running");
  });

  test("pings that are missed now and then, but not in a row, do not count", async () => {
    const world = new World();
    let isSilent = false;
    world.engine.images.set("mcp/echo:1", ({ stdin, writeOut }) => {
      stdin.on("data", (line) => {
        const { id } = JSON.parse(String(line)) as { id: number };
        if (!isSilent) writeOut(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
      });
    });
    const { supervisor } = await bootEcho(world, time);

    for (let round = 1; round <= 3; round += 1) {
      isSilent = true;
      await time.advance(2 * 15_000);
      isSilent = false;
      await time.advance(15_000);
    }

    expect(readStatus(supervisor, "echo")).toBe("running");
    expect(world.log.filter(({ fields }) => fields.to === "unhealthy")).toEqual([]);
  });

  test("pings missed before a restart do not count against the server after it", async () => {
    const world = new World();
    let isSilent = false;
    world.engine.images.set("mcp/echo:1", ({ stdin, writeOut }) => {
      stdin.on("data", (line) => {
        const { id } = JSON.parse(String(line)) as { id: number };
        if (!isSilent) writeOut(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
      });
    });
    const { supervisor } = await bootEcho(world, time);
    isSilent = true;
    await time.advance(2 * 15_000 + 10_500);
    isSilent = false;
    await (await supervisor.restart("echo")).done;

    isSilent = true;
    await time.advance(15_000 + 10_500);

    expect(readStatus(supervisor, "echo")).toBe("running");
  });

  test("a server whose end no event reported is noticed by its silence and started again", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    const container = onlyContainer(world);

    container.exitUnnoticed(1);
    await time.advance(15_000);
    expect(readStatus(supervisor, "echo")).toBe("running");
    await time.advanceUntil(
      () => container.starts === 2 && readStatus(supervisor, "echo") === "running",
      "the restart",
    );
  });

  test("a server that closes its output without ending is unhealthy, not running", async () => {
    const world = new World();
    const { supervisor } = await world.boot();
    world.engine.interfere("startContainer", async (proceed) => {
      await proceed();
      onlyContainer(world).closeOutput();
    });
    await supervisor.create(ECHO);

    await time.advance(121_000);

    expect(readStatus(supervisor, "echo")).toBe("unhealthy");
  });
});

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

describe("an engine that answers, whose stream of events ends", () => {
  test("does not disturb what runs, nor a start", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    const { port } = supervisor.describe("echo");
    const begun = new Deferred<void>();
    const going = new Deferred<void>();
    world.engine.interfere("startContainer", async (proceed) => {
      begun.resolve();
      await going.promise;
      return await proceed();
    });
    const creating = supervisor.create({ ...ECHO, name: "second" });
    await begun.promise;

    world.engine.endEventStreams();
    await time.advance(5_000);
    expect(readStatus(supervisor, "second")).toBe("starting");
    going.resolve();
    await creating;
    await time.advanceUntil(() => readStatus(supervisor, "second") === "running", "the second server to run");

    expect(readStatus(supervisor, "echo")).toBe("running");
    expect(world.network.endpoints.get(port)?.history).toEqual(["connect"]);
  });
});

describe("an engine that goes away", () => {
  test("makes what runs unknown, and its return finds the servers that ran on", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    const { port } = supervisor.describe("echo");

    world.engine.goDown();
    await settle();
    expect(supervisor.describe("echo")).toMatchObject({
      status: "unknown",
      statusContext: "The fake engine does not answer.",
    });
    world.engine.comeUp();
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to be found again");

    expect(onlyContainer(world)).toMatchObject({ starts: 1, attachmentCount: 1 });
    expect(world.network.endpoints.get(port)?.history).toEqual(["connect", "disconnect", "resume"]);
  });

  test("and takes its containers with it has them started again", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);

    world.engine.goDown({ keepContainers: false });
    await settle();
    expect(readStatus(supervisor, "echo")).toBe("unknown");
    world.engine.comeUp();
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run again");

    expect(onlyContainer(world)).toMatchObject({ starts: 2, attachmentCount: 1 });
  });

  test("leaves what is stopped as it is", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    await (await supervisor.stop("echo")).done;

    world.engine.goDown();
    await settle();
    expect(readStatus(supervisor, "echo")).toBe("stopped");
    world.engine.comeUp();
    await time.advance(30_000);

    expect([readStatus(supervisor, "echo"), world.running]).toEqual(["stopped", []]);
  });

  test("during a start does not lose the workload", async () => {
    const world = new World();
    const { supervisor } = await world.boot();
    world.engine.interfere("startContainer", async (proceed) => {
      world.engine.goDown();
      return await proceed();
    });

    await supervisor.create(ECHO);
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "unknown", "the status unknown");
    world.engine.comeUp();
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run");

    expect(onlyContainer(world).attachmentCount).toBe(1);
    expect(world.bugs).toEqual([]);
  });

  test.each([
    ["stop", "stopped"],
    ["delete", "absent"],
  ] as const)("has a %s that was asked for meanwhile done after its return", async (action, final) => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    world.engine.goDown();
    await settle();

    await (await supervisor[action]("echo")).done;
    expect(supervisor.describe("echo").statusContext).toContain("The fake engine does not answer.");
    world.engine.comeUp();
    await time.advanceUntil(() => readStatus(supervisor, "echo") === final, `the workload to be ${final}`);

    expect(world.running).toEqual([]);
    expect(world.bugs).toEqual([]);
  });

  test("for one call only does not leave the workload unknown for ever", async () => {
    const world = new World();
    const { supervisor } = await bootEcho(world, time);
    world.engine.interfere("stopContainer", async () => {
      throw new ThvError("ENGINE_UNREACHABLE", "connection reset");
    });

    await (await supervisor.restart("echo")).done;
    expect(readStatus(supervisor, "echo")).toBe("unknown");
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the server to run again");
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
