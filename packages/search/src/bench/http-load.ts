/** Requests a second over HTTP: a server in a process of its own, readers typing letter by letter from this one. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request as send } from "node:http";
import { modalRequest } from "../testing/search-server.ts";
import { percentile } from "./measure.ts";

export interface HttpMeasurement {
  /** Whether the server may answer from memory what was asked before. */
  readonly isCached: boolean;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU of the server, seconds of processor time a second. */
  readonly serverCores: number;
  readonly answerBytes: number;
  readonly gzipBytes: number;
  readonly brotliBytes: number;
}

const WARM_UP_REQUESTS = 3_000;
/** Readers at a time. */
const CONNECTIONS = 16;

/** Every beginning of every query, as readers type them. */
function listKeystrokes(queries: readonly string[]): string[] {
  return queries.flatMap((query) => Array.from({ length: query.length }, (_, at) => query.slice(0, at + 1)));
}

export interface Answer {
  readonly status: number;
  /** Until the whole answer has arrived. */
  readonly ms: number;
  readonly bytes: number;
  /** As it was sent, in the given encoding. */
  readonly body: Buffer;
}

/** Asks for searches and reads the whole answer, whatever its status. */
export function askFor(agent: Agent, port: number, body: string, encoding: string): Promise<Answer> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "text/plain",
      "content-length": Buffer.byteLength(body),
      "accept-encoding": encoding,
    };
    const request = send(
      { agent, port, host: "127.0.0.1", method: "POST", path: "/1/indexes/*/queries", headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const ms = performance.now() - started;
          const answer = Buffer.concat(chunks);
          resolve({ status: response.statusCode ?? 0, ms, bytes: answer.length, body: answer });
        });
      },
    );
    request.on("error", reject).end(body);
  });
}

/** @throws for any other status than 200. */
async function ask(agent: Agent, port: number, body: string, encoding: string): Promise<Answer> {
  const answer = await askFor(agent, port, body, encoding);
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
  return answer;
}

async function meanBytes(agent: Agent, port: number, bodies: readonly string[], encoding: string): Promise<number> {
  let sum = 0;
  for (const body of bodies) sum += (await ask(agent, port, body, encoding)).bytes;
  return Math.round(sum / bodies.length);
}

/**
 * Starts `bench server INDEX CACHE`, loads it for some seconds, and stops it.
 *
 * @param script The bundled bench, run again as the server.
 */
export async function measureHttp(
  script: string,
  indexFile: string,
  queries: readonly string[],
  isCached: boolean,
  seconds: number,
): Promise<HttpMeasurement> {
  const server = fork(script, ["server", indexFile, isCached ? "cached" : "uncached"], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [{ port }] = (await once(server, "message")) as [{ port: number }];
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  try {
    const bodies = listKeystrokes(queries).map((query) => JSON.stringify({ requests: [modalRequest(query)] }));
    const sample = bodies.filter((_, at) => at % Math.ceil(bodies.length / 100) === 0);
    const answerBytes = await meanBytes(agent, port, sample, "identity");
    const gzipBytes = await meanBytes(agent, port, sample, "gzip");
    const brotliBytes = await meanBytes(agent, port, sample, "br");

    const times: number[] = [];
    let next = 0;
    const run = async (until: number): Promise<void> => {
      while (performance.now() < until) {
        const { ms } = await ask(agent, port, bodies[next++ % bodies.length] as string, "identity");
        times.push(ms);
      }
    };
    // By number and not by time: on a busy machine a second is not enough for the server's code to be compiled.
    for (let at = 0; at < WARM_UP_REQUESTS; at += CONNECTIONS) {
      await Promise.all(
        Array.from({ length: CONNECTIONS }, () =>
          ask(agent, port, bodies[next++ % bodies.length] as string, "identity"),
        ),
      );
    }
    server.send("cpu");
    const [before] = (await once(server, "message")) as [number];
    const started = performance.now();
    const until = started + seconds * 1_000;
    await Promise.all(Array.from({ length: CONNECTIONS }, () => run(until)));
    const elapsed = (performance.now() - started) / 1_000;
    server.send("cpu");
    const [after] = (await once(server, "message")) as [number];
    return {
      isCached,
      requestsPerSecond: Math.round(times.length / elapsed),
      p50Ms: percentile(times, 0.5),
      p99Ms: percentile(times, 0.99),
      serverCores: (after - before) / elapsed,
      answerBytes,
      gzipBytes,
      brotliBytes,
    };
  } finally {
    agent.destroy();
    server.kill();
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
  }
}
