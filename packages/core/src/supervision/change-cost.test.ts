/** What a change of one workload costs beside many others, counted as the workloads that are described or receive an event. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeTime } from "../testing/fake-time.ts";
import { World } from "../testing/world.ts";
import { ManagedWorkload } from "./managed-workload.ts";

let time: FakeTime;
beforeEach(() => {
  time = new FakeTime();
});
afterEach(() => {
  vi.restoreAllMocks();
  time[Symbol.dispose]();
});

/** Counts how often any workload is described or receives an event while one of so many is restarted. */
async function countVisits(size: number): Promise<{ described: number; events: number }> {
  const world = new World();
  const { supervisor } = await world.boot();
  for (let index = 0; index < size; index++) await supervisor.create({ name: `server-${index}`, image: "mcp/echo:1" });
  await time.advanceUntil(() => supervisor.list().every(({ status }) => status === "running"), "all to run");
  const describe = vi.spyOn(ManagedWorkload.prototype, "describe");
  const tell = vi.spyOn(ManagedWorkload.prototype, "onContainerEvent");

  await (await supervisor.restart("server-1")).done;

  const counts = { described: describe.mock.calls.length, events: tell.mock.calls.length };
  vi.restoreAllMocks();
  return counts;
}

test("a restart describes no more workloads, and passes events to no more, beside 40 others than beside 4", async () => {
  const few = await countVisits(5);

  expect(few.described).toBeGreaterThan(0);
  expect(few.events).toBeGreaterThan(0);
  expect(await countVisits(41)).toEqual(few);
});
