/**
 * The engine's daemon is killed under clients that keep calling, and started again: what they lose, that nothing hangs, and
 * that an isolated server is never without its filter. All faults, with figures: bench/recovery.ts.
 */
import { describeEngines, OWN_ENGINES, runThv, stopEngine, ThrowawayHome } from "@toolhive/testing";
import { expect, test } from "vitest";
import { FaultMeasurement } from "../src/testing/fault-measurement.ts";
import { ECHO_IMAGE, startServer } from "../src/testing/fault-servers.ts";
import { listenOnHost } from "../src/testing/host-listener.ts";

const REFUSED = ["refused", "refused", "refused", "refused"];

describeEngines("when the daemon of $kind is killed and started again", OWN_ENGINES, (engine) => {
  test("calls fail or are answered, none hangs, clients go on, and an isolated server stays filtered", async () => {
    await using home = await ThrowawayHome.create();
    const http = await startServer("streamable-http", { engine, home });
    await using listener = await listenOnHost(engine, "streamable-http");
    const [stdio, isolated] = await Promise.all([
      startServer("stdio", { engine, home }),
      startServer("isolated", { engine, home, args: [`--knock=${listener.address}`] }),
    ]);
    await using onHttp = await FaultMeasurement.start(http);
    await using onStdio = await FaultMeasurement.start(stdio);
    await using onIsolated = await FaultMeasurement.start(isolated);

    const fault = stopEngine(engine, "SIGKILL");
    const costs = Promise.all([onHttp, onStdio, onIsolated].map((measurement) => measurement.measure(fault)));
    await (await fault).start();

    const [httpCost, ...stdioCosts] = await costs;
    // Nothing of Podman's service is between a server that speaks HTTP and its clients.
    expect(httpCost?.inFlight).toEqual(engine.kind === "podman" ? ["kept", "kept", "kept", "kept"] : REFUSED);
    for (const cost of stdioCosts) expect(cost).toMatchObject({ inFlight: REFUSED, sessionsOpened: 1 });
    for (const { calls } of [httpCost, ...stdioCosts].flatMap((cost) => cost ?? [])) {
      expect(calls).toMatchObject({ hung: 0, disconnected: 0 });
    }
    const { stdout } = await runThv(["list", "--format", "json"], { home, engine });
    expect((JSON.parse(stdout) as { status: string }[]).map(({ status }) => status)).toEqual([
      "running",
      "running",
      "running",
    ]);
    expect(listener.connections).toBe(0);
    // A server without a filter reaches the same listener.
    await engine.cli([
      "run",
      "--rm",
      "--detach",
      "--interactive",
      "--name",
      "heard",
      ECHO_IMAGE,
      `--knock=${listener.address}`,
    ]);
    await listener.untilConnected();
    await engine.cli(["rm", "--force", "heard"]);
  });
});
