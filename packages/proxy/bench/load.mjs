/** Closed-loop loads: each session sends its next call when the last one was answered. */
import { spawn } from "node:child_process";
import { HttpConnection } from "./http-connection.mjs";

const NEWLINE = 0x0a;

/** @typedef {{ connection: HttpConnection, headers: string }} BenchSession */
/** @typedef {{ latencies: number[], elapsed: number }} Run Latencies in milliseconds, elapsed time in seconds. */

/**
 * Opens sessions that are ready to call.
 *
 * @param {number} port
 * @param {number} count
 * @returns {Promise<BenchSession[]>}
 */
export async function openSessions(port, count) {
  const sessions = [];
  for (let n = 0; n < count; n++) {
    const connection = new HttpConnection(port);
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    const { status, session } = await connection.post("", body);
    if (status !== 200) throw new Error(`initialize: ${status}`);
    const own = session === undefined ? "" : `mcp-session-id: ${session}\r\n`;
    const headers = `mcp-protocol-version: 2025-06-18\r\n${own}`;
    await connection.post(headers, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
    sessions.push({ connection, headers });
  }
  return sessions;
}

/**
 * @param {{ sessions: readonly BenchSession[], payload: string, seconds: number }} options
 * @returns {Promise<Run>}
 */
export async function runLoad({ sessions, payload, seconds }) {
  return await closedLoop(
    sessions.map(({ connection, headers }) => async (/** @type {number} */ id, /** @type {string} */ body) => {
      const { status, bytes, head } = await connection.post(headers, body);
      if (status !== 200 || bytes < payload.length || head.includes('"error"')) {
        throw new Error(`call ${id}: ${status}, ${bytes} bytes: ${head.slice(0, 200)}`);
      }
    }),
    payload,
    seconds,
  );
}

/**
 * The same calls with nothing between, on the server's own stdio: what a bridge adds is the difference.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {number} [callers] How many calls are under way at a time. Default 1.
 */
export function openDirect(command, args, callers = 1) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  /** Calls under way, oldest first: the server answers them in order. @type {(() => void)[]} */
  const waiting = [];
  child.stdout.on("data", (/** @type {Buffer} */ chunk) => {
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) waiting.shift()?.();
  });
  const call = (/** @type {number} */ _, /** @type {string} */ body) => {
    const answered = new Promise((resolve) => {
      waiting.push(() => resolve(undefined));
    });
    child.stdin.write(`${body}\n`, "latin1");
    return answered;
  };
  const all = Array.from({ length: callers }, () => call);
  return {
    /** @param {{ payload: string, seconds: number }} options */
    run: ({ payload, seconds }) => closedLoop(all, payload, seconds),
    close: () => child.kill(),
  };
}

/**
 * @param {readonly ((id: number, body: string) => Promise<unknown>)[]} callers One for each session.
 * @param {string} payload
 * @param {number} seconds
 * @returns {Promise<Run>}
 */
async function closedLoop(callers, payload, seconds) {
  const text = JSON.stringify(payload);
  /** @type {number[]} */
  const latencies = [];
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  let nextId = 1;
  await Promise.all(
    callers.map(async (call) => {
      while (performance.now() < endAt) {
        const id = nextId++;
        const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"text":${text}}}}`;
        const at = performance.now();
        await call(id, body);
        latencies.push(performance.now() - at);
      }
    }),
  );
  return { latencies, elapsed: (performance.now() - startedAt) / 1000 };
}
