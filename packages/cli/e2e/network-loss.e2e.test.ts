/** A server that speaks HTTP loses its network and gets it back, where an engine may publish it on another port. */
import { getTestEngines, ThrowawayHome } from "@toolhive/testing";
import { expect, test } from "vitest";
import { FaultMeasurement } from "../src/testing/fault-measurement.ts";
import { startServer } from "../src/testing/fault-servers.ts";

// Together: what takes long is the wait for the next check of the server.
test.skipIf(getTestEngines().length === 0)(
  "calls to a server without its network fail, none hangs, and the same session goes on when it has one again (skipped where no engine answers)",
  async () => {
    const costs = await Promise.all(
      getTestEngines().map(async (engine) => {
        await using home = await ThrowawayHome.create();
        await using measurement = await FaultMeasurement.start(await startServer("streamable-http", { engine, home }));
        const network = { docker: "bridge", podman: "podman" }[engine.kind];
        const change = async (verb: "connect" | "disconnect") => {
          expect(await engine.cli(["network", verb, network, "streamable-http"])).toMatchObject({ code: 0 });
        };

        return { engine, ...(await measurement.measure(change("disconnect").then(() => change("connect")))) };
      }),
    );

    for (const { engine, inFlight, calls, sessionsOpened } of costs) {
      // Docker ends them with the port; on Podman they may go on, where the server gets its address back.
      if (engine.kind === "docker") expect(new Set(inFlight)).toEqual(new Set(["refused"]));
      expect(calls).toMatchObject({ hung: 0, disconnected: 0 });
      expect(sessionsOpened).toBe(1);
    }
  },
);
