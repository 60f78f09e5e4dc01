/** What breaks under a client that holds a session and keeps calling: what it loses, and that it comes back. */
import { countLeftovers, describeEngines, runThv, type TestEngine, ThrowawayHome, waitFor } from "@toolhive/testing";
import { expect, test } from "vitest";
import { SessionClient } from "../src/testing/session-client.ts";
import { SteadyLoad } from "../src/testing/steady-load.ts";

const CALLERS = 3;
/** Calls that the server would answer in an hour, so that only an error can end them. */
const LONG_CALLS = 4;
const LONG_CALL_MS = 3_600_000;

interface Fault {
  readonly what: string;
  readonly strike: (engine: TestEngine, client: SessionClient) => Promise<unknown>;
}

const FAULTS: Fault[] = [
  { what: "the server process crashes", strike: (_engine, client) => client.call("crash", { code: 7 }) },
  { what: "the container is killed", strike: (engine) => engine.cli(["kill", "echo"]) },
  { what: "the container is removed by force", strike: (engine) => engine.cli(["rm", "--force", "echo"]) },
];

async function pendingRequests(url: string): Promise<number> {
  const health = (await (await fetch(new URL("/health", url))).json()) as { counts: { pendingRequests: number } };
  return health.counts.pendingRequests;
}

/** What must be as it was once the workload is removed and the supervisor has ended. */
async function remains(engine: TestEngine, home: ThrowawayHome) {
  const { stateFiles, ...rest } = await countLeftovers(engine, home);
  return { ...rest, runConfigs: stateFiles.filter((file) => file.includes("runconfigs")) };
}

async function runEcho(home: ThrowawayHome, engine: TestEngine): Promise<string> {
  const run = await runThv(["run", "--name", "echo", "toolhive-test/echo:test"], { home, engine });
  expect(run.code, run.stderr).toBe(0);
  return run.stdout.trim().split(" ").at(-1) ?? "";
}

/** Starts the calls that cannot end by themselves; settles when all of them have reached the endpoint. */
async function startLongCalls(client: SessionClient, url: string) {
  const calls = Array.from({ length: LONG_CALLS }, () => client.call("sleep", { ms: LONG_CALL_MS }));
  await waitFor(async () => (await pendingRequests(url)) >= LONG_CALLS, { what: "the long calls to be in flight" });
  return calls;
}

async function removeEverything(home: ThrowawayHome, engine: TestEngine): Promise<void> {
  expect(await runThv(["rm", "echo"], { home, engine })).toMatchObject({ code: 0 });
  await home.stopSupervisor();
}

describeEngines("under a steady load on $kind", (engine) => {
  test.each(FAULTS)("when $what, calls in flight fail at once and the session goes on", async ({ strike }) => {
    await using home = await ThrowawayHome.create();
    const before = await remains(engine, home);
    const url = await runEcho(home, engine);
    const client = await SessionClient.open(url);
    const longCalls = await startLongCalls(client, url);
    await using load = new SteadyLoad(client, { url, callers: CALLERS });
    await load.untilEachIsAnswered(5);
    const order: string[] = [];
    for (const call of longCalls) void call.then(({ kind }) => order.push(kind));
    const next = Promise.race(longCalls).then(() => client.call("echo", { text: "back" }));
    void next.then(({ kind }) => order.push(kind));

    await strike(engine, client);

    for (const call of longCalls) {
      expect(await call).toEqual({
        kind: "refused",
        code: -32000,
        message: expect.stringMatching(/^The server went away: /),
      });
    }
    expect(await next).toEqual({ kind: "answered", text: "back" });
    // The errors did not wait for the new server.
    expect(order).toEqual([...longCalls.map(() => "refused"), "answered"]);
    await load.untilEachIsAnswered(5);
    await load.end();
    expect(client.sessionsOpened).toBe(1);
    // One call of each caller was in flight, and a server may end once more right after it was started again.
    expect(load.countOutcomes("refused")).toBeLessThanOrEqual(2 * CALLERS);
    expect(load.countOutcomes("answered") + load.countOutcomes("refused")).toBe(load.outcomes.length);
    expect(await pendingRequests(url)).toBe(0);

    await client.close();
    await removeEverything(home, engine);
    expect(await remains(engine, home)).toEqual(before);
  });

  test("when the supervisor is killed, calls in flight end at once and the client goes on in a new session", async () => {
    await using home = await ThrowawayHome.create();
    const before = await remains(engine, home);
    const url = await runEcho(home, engine);
    const client = await SessionClient.open(url);
    const longCalls = await startLongCalls(client, url);
    await using load = new SteadyLoad(client, { url, callers: CALLERS });
    await load.untilEachIsAnswered(5);
    const supervisor = await home.findSupervisor();
    if (!supervisor) throw new Error("no supervisor is running");

    process.kill(supervisor.pid, "SIGKILL");

    // There is nobody left to write an error, so the cut connection is the sign.
    for (const call of longCalls) expect(await call).toEqual({ kind: "disconnected" });
    await waitFor(async () => (await home.findSupervisor()) === undefined, { what: "the supervisor to be gone" });
    expect(await runThv(["list"], { home, engine })).toMatchObject({ code: 0 });
    await load.untilEachIsAnswered(5);
    await load.end();
    expect(client.sessionsOpened).toBe(2);
    // Each caller finds out twice: its connection was cut, then its session is unknown. A kept connection may fail once more.
    expect(load.countOutcomes("disconnected")).toBeLessThanOrEqual(2 * CALLERS);
    expect(load.countOutcomes("unknown-session")).toBeLessThanOrEqual(CALLERS);
    expect(load.countOutcomes("refused")).toBeLessThanOrEqual(CALLERS);
    expect(load.countOutcomes("hung")).toBe(0);
    expect(await pendingRequests(url)).toBe(0);

    await client.close();
    await removeEverything(home, engine);
    expect(await remains(engine, home)).toEqual(before);
  });
});
