/** Many servers in containers that crash in the middle of a call: nothing of them stays with the supervisor or the engine. */
import { readdir } from "node:fs/promises";
import { countLeftovers, describeEngines, runThv, ThrowawayHome, waitFor } from "@toolhive/testing";
import { expect, test } from "vitest";
import { SessionClient } from "../src/testing/session-client.ts";

const SERVERS = Array.from({ length: 20 }, (_, index) => `crashing-${index}`);
/** Starts at a time: an engine starts one container after the other anyway. */
const AT_A_TIME = 4;

async function inTurns(run: (name: string) => Promise<void>): Promise<void> {
  const waiting = [...SERVERS];
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await run(name);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}

async function countDescriptors(home: ThrowawayHome): Promise<number> {
  const supervisor = await home.findSupervisor();
  if (!supervisor) throw new Error("no supervisor is running");
  return (await readdir(`/proc/${supervisor.pid}/fd`)).length;
}

// One engine is enough for what the supervisor keeps; the faults of one server are tested on both.
describeEngines("20 servers that crash on $kind", { isOneEnough: true }, (engine) => {
  test("leave no container, network, volume or file descriptor once they are removed", async () => {
    await using home = await ThrowawayHome.create();
    const thv = async (...args: string[]) => {
      expect(await runThv(args, { home, engine })).toMatchObject({ code: 0 });
    };
    // The first starts the supervisor and opens what it keeps.
    await thv("run", "--name", "first", "toolhive-test/echo:test");
    await thv("rm", "first");
    const before = await countLeftovers(engine, home);
    const descriptors = await countDescriptors(home);

    await inTurns(async (name) => {
      const run = await runThv(["run", "--name", name, "toolhive-test/echo:test"], { home, engine });
      const client = await SessionClient.open(run.stdout.trim().split(" ").at(-1) ?? "");
      expect(await client.call("crash", { code: 9 })).toMatchObject({ kind: "refused", code: -32000 });
      await client.close();
    });
    await inTurns((name) => thv("rm", name));

    const { containers, networks, volumes } = await countLeftovers(engine, home);
    expect({ containers, networks, volumes }).toEqual({
      containers: before.containers,
      networks: before.networks,
      volumes: before.volumes,
    });
    // Connections of clients are kept for a moment after their last request.
    await waitFor(async () => (await countDescriptors(home)) <= descriptors + 2, {
      what: "the supervisor's file descriptors to be as many as before",
      deadlineMs: 90_000,
    });
  });
});
