/** A load at a given rate, whatever the endpoint takes for an answer; and sessions that come and go beside it. */
import { createHistogram } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { openSessions } from "../bench/load.mjs";

/** Milliseconds a caller may fall behind; calls that are due for longer are left out, so that a pause is no burst. */
const MAX_BEHIND_MS = 1_000;
/** Microseconds in a millisecond: what histograms count. */
const US = 1_000;

/** @typedef {import("../bench/load.mjs").BenchSession} Session */

/**
 * Calls until `end` has settled.
 *
 * @param {{ sessions: readonly Session[], payload: string, perSecond: number }} options
 */
export function startPacedLoad({ sessions, payload, perSecond }) {
  const latencies = createHistogram();
  const intervalMs = (1000 * sessions.length) / perSecond;
  let isOver = false;
  let calls = 0;
  let nextId = 1;
  const text = JSON.stringify(payload);
  const callers = Promise.all(
    sessions.map(async ({ connection, headers }, index) => {
      let due = performance.now() + (intervalMs * index) / sessions.length;
      while (!isOver) {
        const early = due - performance.now();
        // Timers count whole milliseconds; the rest of one averages out over the next calls.
        if (early >= 1) await delay(early);
        else if (early < -MAX_BEHIND_MS) due = performance.now();
        const body = `{"jsonrpc":"2.0","id":${nextId++},"method":"tools/call","params":{"name":"echo","arguments":{"text":${text}}}}`;
        const at = performance.now();
        const { status, bytes, head } = await connection.post(headers, body);
        if (status !== 200 || bytes < payload.length || head.includes('"error"')) {
          throw new Error(`a call was answered with ${status}, ${bytes} bytes: ${head.slice(0, 200)}`);
        }
        latencies.record(Math.max(1, Math.round((performance.now() - at) * US)));
        calls += 1;
        due += intervalMs;
      }
    }),
  );
  return {
    /** Rejects when a call fails. */
    failed: callers.then(() => undefined),
    calls: () => calls,
    end: async () => {
      isOver = true;
      await callers;
      return { calls, p50Ms: latencies.percentile(50) / US, p99Ms: latencies.percentile(99) / US };
    },
  };
}

/** Opens a session, calls once and ends the session, so that a trace that each leaves behind adds up. @param {number} port */
export async function comeAndGo(port) {
  const [session] = await openSessions(port, 1);
  if (session === undefined) throw new Error("no session");
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"once"}}}';
  await session.connection.post(session.headers, body);
  await endSession(port, session);
}

/** @param {number} port @param {Session} session */
export async function endSession(port, { connection, headers }) {
  const lines = headers.trim().split("\r\n");
  const entries = lines.map((line) => /** @type {[string, string]} */ (line.split(": ", 2)));
  await fetch(`http://127.0.0.1:${port}/mcp`, { method: "DELETE", headers: entries });
  connection.close();
}
