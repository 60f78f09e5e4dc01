/** Closed-loop loads: each session sends its next call when the last one was answered. */
import { spawn } from "node:child_process";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/**
 * @param {{ port: number, agent: Agent, headers?: Record<string, string>, body: string }} options
 * @returns {Promise<{ status: number, session: string | undefined, bytes: number, head: string }>}
 */
export function post({ port, agent, headers = {}, body }) {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port,
        path: "/mcp",
        method: "POST",
        agent,
        headers: { ...HEADERS, ...headers, "content-length": Buffer.byteLength(body) },
      },
      (response) => {
        let bytes = 0;
        let head = "";
        response.on("data", (chunk) => {
          if (bytes < 300) head += chunk.toString("latin1", 0, 300);
          bytes += chunk.length;
        });
        response.on("end", () => {
          const session = response.headers["mcp-session-id"];
          resolve({ status: response.statusCode ?? 0, session: session?.toString(), bytes, head });
        });
        response.on("error", reject);
      },
    );
    outgoing.on("error", (error) => {
      // A server may close a kept connection just when it is used again; that is no failure of the call.
      if (outgoing.reusedSocket) resolve(post({ port, agent, headers, body }));
      else reject(error);
    });
    outgoing.end(body);
  });
}

/**
 * Opens sessions that are ready to call.
 *
 * @param {number} port
 * @param {number} count
 */
export async function openSessions(port, count) {
  const sessions = [];
  for (let n = 0; n < count; n++) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    const { status, session } = await post({ port, agent, body });
    if (status !== 200) throw new Error(`initialize: ${status}`);
    /** @type {Record<string, string>} */
    const headers = { "mcp-protocol-version": "2025-06-18" };
    if (session !== undefined) headers["mcp-session-id"] = session;
    await post({ port, agent, headers, body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' });
    sessions.push({ agent, headers });
  }
  return sessions;
}

/**
 * @param {{ port: number, sessions: Awaited<ReturnType<typeof openSessions>>, payload: string, seconds: number }} options
 * @returns {Promise<{ latencies: number[], elapsed: number }>} Latencies in milliseconds, elapsed time in seconds.
 */
export async function runLoad({ port, sessions, payload, seconds }) {
  const text = JSON.stringify(payload);
  /** @type {number[]} */
  const latencies = [];
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  let nextId = 1;
  await Promise.all(
    sessions.map(async ({ agent, headers }) => {
      while (performance.now() < endAt) {
        const id = nextId++;
        const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"text":${text}}}}`;
        const at = performance.now();
        const { status, bytes, head } = await post({ port, agent, headers, body });
        if (status !== 200 || bytes < payload.length || head.includes('"error"')) {
          throw new Error(`call ${id}: ${status}, ${bytes} bytes: ${head.slice(0, 200)}`);
        }
        latencies.push(performance.now() - at);
      }
    }),
  );
  return { latencies, elapsed: (performance.now() - startedAt) / 1000 };
}

/**
 * The same calls with nothing between, on the server's own stdio: what a bridge adds is the difference.
 *
 * @param {{ command: string, args: string[], payload: string, seconds: number }} options
 * @returns {Promise<{ latencies: number[], elapsed: number }>}
 */
export async function runDirect({ command, args, payload, seconds }) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const text = JSON.stringify(payload);
  /** @type {number[]} */
  const latencies = [];
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  const answers = lines[Symbol.asyncIterator]();
  for (let id = 1; performance.now() < endAt; id++) {
    const at = performance.now();
    child.stdin.write(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"text":${text}}}}\n`,
    );
    await answers.next();
    latencies.push(performance.now() - at);
  }
  child.kill();
  return { latencies, elapsed: (performance.now() - startedAt) / 1000 };
}
