/** Removing a workload: the server gets the time to end by itself that a stop gives it. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeTime } from "../src/testing/fake-time.ts";
import { bootEcho, World } from "../src/testing/world.ts";

let time: FakeTime;
beforeEach(() => {
  time = new FakeTime();
});
afterEach(() => time[Symbol.dispose]());

async function bootWorld() {
  const world = new World();
  return { world, ...(await bootEcho(world, time)) };
}

/** The seconds that servers are given to end by themselves, as they are given. */
function watchStops(world: World): unknown[] {
  const stops: unknown[] = [];
  world.engine.interfere(
    "stopContainer",
    async (proceed, [, graceSeconds]) => {
      stops.push(graceSeconds);
      return await proceed();
    },
    { always: true },
  );
  return stops;
}

test("a server that is removed is stopped first, with 30 seconds to end by itself", async () => {
  const { world, supervisor } = await bootWorld();
  const stops = watchStops(world);

  await (await supervisor.delete("echo")).done;

  expect(stops).toEqual([30]);
  expect([world.containers, world.disk.size]).toEqual([[], 0]);
});

test("what was counted of a server goes with it, and stays while it is stopped and started", async () => {
  const { world, supervisor } = await bootWorld();
  await (await supervisor.stop("echo")).done;
  await (await supervisor.restart("echo")).done;
  expect(world.forgottenUsage).toEqual([]);

  await (await supervisor.delete("echo")).done;

  expect(world.forgottenUsage).toEqual(["echo"]);
});

test("a removal gives the server the requested time", async () => {
  const { world, supervisor } = await bootWorld();
  const stops = watchStops(world);

  await (await supervisor.delete("echo", { graceSeconds: 7 })).done;

  expect(stops).toEqual([7]);
});

test("a forced removal does not wait for the server, nor for a removal that does", async () => {
  const { world, supervisor } = await bootWorld();
  // A server that does not end, for as long as it is not killed.
  const container = world.engine.find("echo");
  world.engine.interfere("stopContainer", () => new Promise(() => undefined), { always: true });
  const patient = await supervisor.delete("echo");
  await time.advance(1_000);
  expect(container?.isRunning).toBe(true);

  await (await supervisor.delete("echo", { isForced: true })).done;
  await patient.done;

  expect(supervisor.list()).toEqual([]);
  expect([world.containers, world.disk.size, world.bugs]).toEqual([[], 0, []]);
});

test("a forced removal does not wait for a stop that is under way", async () => {
  const { world, supervisor } = await bootWorld();
  // As engines do: the stop settles when the container is gone.
  world.engine.interfere("stopContainer", async () => {
    while (world.engine.find("echo")) await new Promise((resolve) => setTimeout(resolve, 100));
  });
  const stopping = await supervisor.stop("echo", 3_600);
  await time.advance(1_000);

  const removing = await supervisor.delete("echo", { isForced: true });
  await time.advance(1_000);
  await Promise.all([stopping.done, removing.done]);

  expect(supervisor.list()).toEqual([]);
  expect([world.containers, world.disk.size, world.bugs]).toEqual([[], 0, []]);
});
