import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeTime, settle } from "../src/testing/fake-time.ts";
import { onlyContainer } from "../src/testing/only-container.ts";
import { bootEcho, ECHO, readStatus, World } from "../src/testing/world.ts";

let time: FakeTime;

beforeEach(() => {
  time = new FakeTime();
});

afterEach(() => time[Symbol.dispose]());

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
