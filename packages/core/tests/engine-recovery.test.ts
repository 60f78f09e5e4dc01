/** Workloads while their engine is away, and once it answers again. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Deferred } from "../src/support/deferred.ts";
import { ThvError } from "../src/support/errors.ts";
import { FakeTime, settle } from "../src/testing/fake-time.ts";
import { onlyContainer } from "../src/testing/only-container.ts";
import { bootEcho, ECHO, readStatus, World } from "../src/testing/world.ts";

let time: FakeTime;

beforeEach(() => {
  time = new FakeTime();
});

afterEach(() => time[Symbol.dispose]());

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
