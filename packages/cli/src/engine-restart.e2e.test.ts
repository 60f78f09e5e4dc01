/** The engine's daemon goes away under a client that keeps calling, and comes back: what is lost, and that nothing hangs. */
import { canRestart, runThv, setLiveRestore, stopEngine, type TestEngine, ThrowawayHome, testEngines, waitFor } from "@toolhive/testing";
import { afterEach, describe, expect, test } from "vitest";
import { SessionClient } from "./testing/session-client.ts";
import { SteadyLoad } from "./testing/steady-load.ts";

describe.each(testEngines())("x $kind", (engine) => {
  test.each([
    ["SIGKILL", false], ["SIGTERM", false], ["SIGKILL", true], ["SIGTERM", true]
  ] as const)("%s live %s", async (signal, live) => {
    if (engine.kind === "podman" && live) return;
    if (engine.kind === "docker") await setLiveRestore(engine, live);
    await using home = await ThrowawayHome.create();
    const run = await runThv(["run", "--name", "echo", "toolhive-test/echo:test"], { home, engine });
    const url = run.stdout.trim().split(" ").at(-1) ?? "";
    const client = await SessionClient.open(url);
    const long = [0,1,2].map(() => client.call("sleep", { ms: 3_600_000 }));
    const t: Record<string, number> = {};
    await using load = new SteadyLoad(client, { url, callers: 3 });
    await load.untilEachIsAnswered(5);
    const began = performance.now();
    const at = () => Math.round(performance.now() - began);
    const stopped = await stopEngine(engine, signal);
    t.gone = at();
    for (const call of long) void call.then((o) => { console.log(at(), JSON.stringify(o)); });
    await new Promise((r) => setTimeout(r, 2000));
    console.log(at(), (await runThv(["list", "--format", "json"], { home, engine })).stdout);
    const next = client.call("echo", { text: "first" });
    void next.then((o) => console.log(at(), "first", JSON.stringify(o)));
    await stopped.start();
    t.back = at();
    try {
    await load.untilEachIsAnswered(3);
    t.answered = at();
    } catch (e) { console.log(at(), String(e)); }
    console.log(signal, live, JSON.stringify(t), JSON.stringify(Object.fromEntries(["answered","refused","unknown-session","disconnected","hung"].map((k) => [k, load.countOf(k as never)]))), JSON.stringify([...new Set(load.outcomes.filter((o)=>o.kind==="refused").map((o)=>(o as {message:string}).message))]), client.sessionsOpened);
    console.log((await runThv(["list", "--format", "json"], { home, engine })).stdout);
    console.log((await engine.cli(["ps", "-a"])).stdout);
    await Promise.all(long);
    await load.end();
  });
});
