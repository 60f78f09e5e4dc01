import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { IdleAnswer, IdlePhase } from "../../contract/index.ts";
import { IdleGate } from "./idle-gate.ts";

const QUIET = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
const AFTER_MS = 60_000;

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }));
afterEach(() => vi.useRealTimers());

class Call extends EventEmitter {
  destroyed = false;

  end(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

function openGate() {
  const events: string[] = [];
  const gate = new IdleGate({ name: "echo", log: QUIET });
  gate.start({
    untilServed: async () => {
      events.push("served");
    },
    onServers: (addresses) => addresses.length > 0 && events.push(addresses.join()),
    onSleep: () => events.push("sleep"),
    onAwake: () => events.push("awake"),
  });
  const ask = (phase: IdlePhase, waitMs = 0, servers: readonly string[] = []): Promise<IdleAnswer> =>
    gate.answer({ phase, afterMs: AFTER_MS, waitMs, servers }, new AbortController().signal);
  /** `passed` says how the call fared: undefined while it is held. */
  const enter = () => {
    const call = new Call();
    const fate: { outcome?: string } = {};
    const wait = gate.enter(call as unknown as ServerResponse);
    if (wait === undefined) fate.outcome = "passed";
    else
      wait.then(
        () => {
          fate.outcome = "passed";
        },
        (error: Error) => {
          fate.outcome = error.message;
        },
      );
    return { call, fate };
  };
  return { gate, events, ask, enter };
}

test("does not promise to hold calls while one is answered, nor before the time is over", async () => {
  const { ask, enter } = openGate();
  const { call } = enter();
  await vi.advanceTimersByTimeAsync(2 * AFTER_MS);
  expect(await ask("ask")).toEqual({ idleForMs: 0, isHolding: false, isWanted: false });

  call.end();
  await vi.advanceTimersByTimeAsync(AFTER_MS - 1);
  expect(await ask("ask")).toMatchObject({ idleForMs: AFTER_MS - 1, isHolding: false });
  await vi.advanceTimersByTimeAsync(1);

  expect(await ask("ask")).toMatchObject({ idleForMs: AFTER_MS, isHolding: true });
});

test("holds a call that comes between the promise and the end of the server, and asks for a start", async () => {
  const { ask, enter, events } = openGate();
  await vi.advanceTimersByTimeAsync(AFTER_MS);
  await ask("ask");
  const { fate } = enter();

  expect(await ask("asleep", 30_000)).toMatchObject({ isHolding: true, isWanted: true });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(fate.outcome).toBeUndefined();
  await ask("awake", 0, ["10.0.0.7"]);
  await vi.advanceTimersByTimeAsync(0);

  expect(fate.outcome).toBe("passed");
  expect(events).toEqual(["sleep", "10.0.0.7", "served", "awake"]);
});

test("lets calls pass that wait for a stopped server as soon as it answers, whatever the operator says next", async () => {
  const { gate, ask, enter, events } = openGate();
  await ask("asleep");
  const { fate } = enter();
  expect(gate.isAwaited).toBe(true);

  gate.reportAnswer();
  await vi.advanceTimersByTimeAsync(0);
  expect(fate.outcome).toBe("passed");
  expect(events).toEqual(["sleep", "awake"]);

  expect(await ask("awake", 0, ["10.0.0.7"])).toMatchObject({ isHolding: false });
  expect(events).toEqual(["sleep", "awake", "10.0.0.7"]);
});

test("an answer of a server opens nothing while no call waits, nor after a promise: the server is stopped next", async () => {
  const { gate, ask, enter, events } = openGate();
  await vi.advanceTimersByTimeAsync(AFTER_MS);
  await ask("ask");
  const { fate } = enter();
  gate.reportAnswer();
  await vi.advanceTimersByTimeAsync(0);
  expect(fate.outcome).toBeUndefined();

  const other = openGate();
  await other.ask("asleep");
  other.gate.reportAnswer();
  const held = other.enter();
  await vi.advanceTimersByTimeAsync(0);
  expect(held.fate.outcome).toBeUndefined();
  expect(events).toEqual(["sleep"]);
});

test("lets calls pass again when the operator is silent after a promise", async () => {
  const { ask, enter, events } = openGate();
  await vi.advanceTimersByTimeAsync(AFTER_MS);
  await ask("ask");
  const { fate } = enter();
  await vi.advanceTimersByTimeAsync(10_000);

  expect(fate.outcome).toBe("passed");
  expect(events).toEqual(["sleep", "awake"]);
});

test("answers at once when a call comes while the server is stopped", async () => {
  const { ask, enter } = openGate();
  const answer = ask("asleep", 30_000);
  let isAnswered = false;
  void answer.then(() => {
    isAnswered = true;
  });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(isAnswered).toBe(false);
  enter();

  expect(await answer).toMatchObject({ isWanted: true });
});

test("answers after the time that was asked for when nobody calls", async () => {
  const { ask } = openGate();
  const answer = ask("asleep", 30_000);
  await vi.advanceTimersByTimeAsync(30_000);

  expect(await answer).toMatchObject({ isHolding: true, isWanted: false });
});

test("refuses a call whose server does not start, and forgets one whose caller has gone", async () => {
  const { ask, enter } = openGate();
  await ask("asleep");
  const [patient, gone] = [enter(), enter()];
  gone.call.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(gone.fate.outcome).toContain("gone");
  for (let at = 0; at < 12; at += 1) {
    await ask("asleep");
    await vi.advanceTimersByTimeAsync(10_000);
  }

  expect(patient.fate.outcome).toContain("did not start within 120 s. kubectl describe mcpserver echo");
});

test("lets held calls pass when the operator is silent: the server may run all the same", async () => {
  const { ask, enter } = openGate();
  await ask("asleep");
  const { fate } = enter();
  await vi.advanceTimersByTimeAsync(50_000);

  expect(fate.outcome).toBe("passed");
});

test("asks for a start when the report that its server sleeps comes during a call", async () => {
  const { ask, enter } = openGate();
  enter();

  expect(await ask("asleep", 30_000)).toMatchObject({ isHolding: false, isWanted: true });
});

test("refuses more calls than may wait", async () => {
  const { ask, enter } = openGate();
  await ask("asleep");
  for (let count = 0; count < 1_000; count += 1) enter();

  expect(() => enter()).toThrow("Too many calls wait");
});
