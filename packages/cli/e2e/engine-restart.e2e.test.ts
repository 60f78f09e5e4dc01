/**
 * The engine's daemon is killed under clients that keep calling, and started again: what they lose, that nothing hangs, and
 * that an isolated server is never without its filter. All faults, with figures: bench/recovery.ts.
 */
import { canRestart, runThv, stopEngine, ThrowawayHome, testEngines } from "@toolhive/testing";
import { describe, expect, test } from "vitest";
import { Target } from "../src/testing/blow.ts";
import { openDoor } from "../src/testing/knocker.ts";
import { ECHO_IMAGE, startServer } from "../src/testing/struck-servers.ts";

const REFUSED = ["refused", "refused", "refused", "refused"];

describe.each(testEngines().filter(canRestart))("when the daemon of $kind is killed and started again", (engine) => {
  test("calls fail or are answered, none hangs, clients go on, and an isolated server stays filtered", async () => {
    await using home = await ThrowawayHome.create();
    const http = await startServer("streamable-http", { engine, home });
    await using door = await openDoor(engine, "streamable-http");
    const [stdio, isolated] = await Promise.all([
      startServer("stdio", { engine, home }),
      startServer("isolated", { engine, home, args: [`--knock=${door.address}`] }),
    ]);
    await using onHttp = await Target.aim(http);
    await using onStdio = await Target.aim(stdio);
    await using onIsolated = await Target.aim(isolated);

    const struck = stopEngine(engine, "SIGKILL");
    const blows = Promise.all([onHttp, onStdio, onIsolated].map((target) => target.take(struck)));
    await (await struck).start();

    const [httpBlow, ...stdioBlows] = await blows;
    // Nothing of Podman's service is between a server that speaks HTTP and its clients.
    expect(httpBlow?.inFlight).toEqual(engine.kind === "podman" ? ["kept", "kept", "kept", "kept"] : REFUSED);
    for (const blow of stdioBlows) expect(blow).toMatchObject({ inFlight: REFUSED, sessionsOpened: 1 });
    for (const { calls } of [httpBlow, ...stdioBlows].flatMap((blow) => blow ?? [])) {
      expect(calls).toMatchObject({ hung: 0, disconnected: 0 });
    }
    const { stdout } = await runThv(["list", "--format", "json"], { home, engine });
    expect((JSON.parse(stdout) as { status: string }[]).map(({ status }) => status)).toEqual([
      "running",
      "running",
      "running",
    ]);
    expect(door.knocks).toBe(0);
    // A server without a filter is heard at the same door.
    await engine.cli([
      "run",
      "--rm",
      "--detach",
      "--interactive",
      "--name",
      "heard",
      ECHO_IMAGE,
      `--knock=${door.address}`,
    ]);
    await door.untilHeard();
    await engine.cli(["rm", "--force", "heard"]);
  });
});
