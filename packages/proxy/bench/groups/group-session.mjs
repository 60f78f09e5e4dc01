/** Sessions of a client at an endpoint that joins servers, over streamable HTTP or over HTTP with SSE. */
import { Agent, request } from "node:http";
import { HttpConnection } from "../http-connection.mjs";

const REVISION = "2025-06-18";
const CLIENT = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: "bench", version: "1" } };
/** Of the answer to a call: its text alone is longer. */
const MIN_BYTES = 100;
/** What each call sends, and gets back. */
export const TEXT = "x".repeat(MIN_BYTES);
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

/**
 * @typedef {object} GroupSession
 * @property {(signal: AbortSignal) => Promise<string[]>} listTools Names.
 * @property {(id: number, body: string) => Promise<void>} call Ends with the answer. Rejects when it is an error.
 * @property {() => void} close
 */

/** @param {number} port @param {AbortSignal} signal Of opening. @returns {Promise<GroupSession>} */
export async function openHttpSession(port, signal) {
  const url = `http://127.0.0.1:${port}/mcp`;
  const common = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = async (
    /** @type {Record<string, string>} */ headers,
    /** @type {string} */ body,
    /** @type {AbortSignal} */ ends,
  ) => await fetch(url, { method: "POST", headers: { ...common, ...headers }, body, signal: ends });
  const opened = await post({}, formatRequest(0, "initialize", CLIENT), signal);
  const text = await opened.text();
  if (opened.status !== 200) throw new Error(`initialize: ${opened.status} ${text.slice(0, 200)}`);
  const session = opened.headers.get("mcp-session-id");
  /** @type {Record<string, string>} */
  const own = { "mcp-protocol-version": REVISION, ...(session !== null && { "mcp-session-id": session }) };
  await (await post(own, INITIALIZED, signal)).text();
  const lines = Object.entries(own)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const connection = new HttpConnection(port);
  return {
    listTools: async (ends) => readNames(await (await post(own, formatRequest(1, "tools/list", {}), ends)).text()),
    call: async (id, body) => {
      const { status, bytes, head } = await connection.post(lines, body);
      // A slow answer may come after signs of life, and only the beginning is kept.
      const isAnswer = status === 200 && !head.includes('"error"') && bytes > MIN_BYTES;
      if (!isAnswer) throw new Error(`call ${id}: ${status} ${head.slice(0, 200)}`);
    },
    close: () => connection.close(),
  };
}

/**
 * One client at the endpoints of several servers, which it calls in turn.
 *
 * @param {readonly number[]} ports
 * @param {AbortSignal} signal Of opening.
 * @returns {Promise<GroupSession>}
 */
export async function openApart(ports, signal) {
  const sessions = await Promise.all(ports.map((port) => openHttpSession(port, signal)));
  return {
    listTools: async (ends) => (await Promise.all(sessions.map(({ listTools }) => listTools(ends)))).flat(),
    call: async (id, body) => await sessions[id % sessions.length]?.call(id, body),
    close: () => {
      for (const { close } of sessions) close();
    },
  };
}

/** @param {number} port @param {AbortSignal} signal Of opening. @returns {Promise<GroupSession>} */
export async function openSseSession(port, signal) {
  const agent = new Agent({ keepAlive: true });
  /** Waiting for answers, by id. @type {Map<number, (data: string) => void>} */
  const waiting = new Map();
  const { promise: ended, reject: end } = withResolvers();
  ended.catch(() => undefined);
  signal.addEventListener("abort", () => end(signal.reason), { once: true });
  const { promise: path, resolve: onPath } = withResolvers();
  const stream = request({ host: "127.0.0.1", port, path: "/mcp", headers: { accept: "text/event-stream" } });
  stream.on("error", end);
  stream.on("response", (answer) => {
    if (answer.statusCode !== 200) end(new Error(`the stream: ${answer.statusCode}`));
    let rest = "";
    answer.setEncoding("latin1").on("error", () => undefined);
    answer.on("data", (/** @type {string} */ chunk) => {
      const events = (rest + chunk).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const data = /^data: ?(.*)$/m.exec(event)?.[1] ?? "";
        if (event.includes("event: endpoint")) onPath(data);
        else {
          const id = Number(/"id":(\d+)/.exec(data.slice(-40))?.[1] ?? /"id":(\d+)/.exec(data)?.[1]);
          waiting.get(id)?.(data);
          waiting.delete(id);
        }
      }
    });
  });
  stream.end();
  const target = String(await Promise.race([path, ended]));
  const post = (/** @type {string} */ body) =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const sending = request({ host: "127.0.0.1", port, path: target, method: "POST", agent, headers }, (answer) => {
        answer.resume().on("end", () => resolve(undefined));
      });
      sending.on("error", reject).end(body);
    });
  const ask = async (/** @type {number} */ id, /** @type {string} */ body) => {
    /** @type {Promise<string>} */
    const answered = new Promise((resolve) => waiting.set(id, resolve));
    await post(body);
    return await answered;
  };
  await Promise.race([ask(0, formatRequest(0, "initialize", CLIENT)), ended]);
  await post(INITIALIZED);
  return {
    listTools: async (ends) => {
      const { promise: late, reject } = withResolvers();
      ends.addEventListener("abort", () => reject(ends.reason), { once: true });
      return readNames(String(await Promise.race([ask(1, formatRequest(1, "tools/list", {})), late])));
    },
    call: async (id, body) => {
      const data = await ask(id, body);
      if (!data.includes('"content"')) throw new Error(`call ${id}: ${data.slice(0, 200)}`);
    },
    close: () => {
      stream.destroy();
      agent.destroy();
    },
  };
}

/** @param {number} id @param {string} method @param {object} params */
export function formatRequest(id, method, params) {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/**
 * Each session calls the tools in turn, one call after the other.
 *
 * @param {readonly GroupSession[]} sessions @param {readonly string[]} tools @param {number} seconds
 */
export async function runCalls(sessions, tools, seconds) {
  /** @type {number[]} */
  const latencies = [];
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  let nextId = 100;
  await Promise.all(
    sessions.map(async (session) => {
      while (performance.now() < endAt) {
        const id = nextId++;
        const body = formatRequest(id, "tools/call", { name: tools[id % tools.length], arguments: { text: TEXT } });
        const at = performance.now();
        await session.call(id, body);
        latencies.push(performance.now() - at);
      }
    }),
  );
  return { latencies, elapsed: (performance.now() - startedAt) / 1000 };
}

/** `Promise.withResolvers` of later versions of Node.js. */
function withResolvers() {
  /** @type {(value: unknown) => void} */
  let resolve = () => undefined;
  /** @type {(reason: unknown) => void} */
  let reject = () => undefined;
  const promise = new Promise((...functions) => {
    [resolve, reject] = functions;
  });
  return { promise, resolve, reject };
}

/** @param {string} text JSON, or the events of one answer. @returns {string[]} */
function readNames(text) {
  const json = text.startsWith("{") ? text : (/^data: ?(\{.*)$/m.exec(text)?.[1] ?? "{}");
  /** @type {{ result?: { tools?: { name: string }[] } }} */
  const { result } = JSON.parse(json);
  return result?.tools?.map(({ name }) => name) ?? [];
}
