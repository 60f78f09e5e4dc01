/** The operator's requests over HTTP, and the gate's answers. */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { IDLE_PATH, type IdlePhase, MAX_SERVERS, MAX_WAIT_MS } from "../../contract/index.ts";
import type { IdleGate } from "./idle-gate.ts";

/** @returns Whether it answers the request. */
export type RequestAnswerer = (request: IncomingMessage, response: ServerResponse) => boolean;

const PHASES: readonly string[] = ["awake", "ask", "asleep"] satisfies IdlePhase[];

/** @param token As {@link deriveIdleToken} makes it; others learn nothing. */
export function createIdleAnswerer(gate: IdleGate, token: string): RequestAnswerer {
  const expected = Buffer.from(`Bearer ${token}`);
  const isOperator = ({ headers }: IncomingMessage): boolean => {
    const given = Buffer.from(headers.authorization ?? "");
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  return (request, response) => {
    const [path, query] = (request.url ?? "").split("?", 2);
    if (path !== IDLE_PATH) return false;
    request.resume();
    if (request.method !== "POST" || !isOperator(request)) {
      send(response, 403, { error: "Only the operator may ask." });
      return true;
    }
    const asked = new URLSearchParams(query);
    const phase = asked.get("phase") ?? "";
    const afterMs = Number(asked.get("afterMs") ?? Number.NaN);
    const waitMs = Number(asked.get("waitMs") ?? Number.NaN);
    const servers = (asked.get("servers") ?? "").split(",").filter((address) => isIP(address) > 0);
    if (
      !PHASES.includes(phase) ||
      servers.length > MAX_SERVERS ||
      !(afterMs > 0) ||
      !(waitMs >= 0 && waitMs <= MAX_WAIT_MS)
    ) {
      send(response, 400, { error: "phase, afterMs and waitMs are needed." });
      return true;
    }
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    void gate
      .answer({ phase: phase as IdlePhase, afterMs, waitMs, servers }, gone.signal)
      .then((answer) => send(response, 200, answer));
    return true;
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}
