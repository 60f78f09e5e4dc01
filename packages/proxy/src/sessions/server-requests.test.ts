/** Requests of servers to clients, with and without our id in the place of progress tokens. */
import { describe, expect, test } from "vitest";
import { UNAUTHENTICATED_CALLER } from "../messages/caller.ts";
import { type Envelope, readEnvelope } from "../messages/json-rpc.ts";
import { DEFAULT_BOUNDS } from "../options/limits.ts";
import { PendingRequests } from "./pending-requests.ts";
import { createReply } from "./reply.ts";
import { hasCapability, ServerRequests } from "./server-requests.ts";
import { SessionStore } from "./session-store.ts";

const SAMPLING = { method: "sampling/createMessage", params: { _meta: { progressToken: "t" }, messages: [] } };

function toEnvelope(message: object): Envelope {
  const envelope = readEnvelope(Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message })));
  if (envelope === undefined) throw new Error("not a message");
  return envelope;
}

function openWorld({ replacesTokens, capabilities = ["sampling"], maxServerRequests = 2 }: WorldOptions) {
  let time = 0;
  const now = () => time;
  const limits = { ...DEFAULT_BOUNDS, maxServerRequests, serverRequestMs: 1_000 };
  const sessions = new SessionStore({ limits, now, callersAreApart: false, onEnd: () => undefined });
  const client = { revision: "2025-11-25", capabilities: new Set(capabilities) };
  const session = sessions.createForRequest(client, UNAUTHENTICATED_CALLER);
  const other = sessions.createForRequest(client, UNAUTHENTICATED_CALLER);
  const toClient: unknown[] = [];
  const notify = (message: Buffer) => toClient.push(JSON.parse(message.toString("utf8"))) > 0;
  const via = new PendingRequests(100).add(toEnvelope({ id: "call", method: "tools/call" }), {
    ...{ session, deadlineAt: 0, progressToken: undefined, isTask: false, uri: undefined },
    reply: { ...createReply(), notify },
  });
  const missing: string[] = [];
  const requests = new ServerRequests({
    ...{ limits, now, replacesTokens, onAnswered: () => undefined },
    choose: (capability) => (hasCapability(session, capability) ? session : undefined),
    failMissingCapability: (capability) => missing.push(capability),
  });
  const openServer = () => {
    const received: unknown[] = [];
    return { received, send: (message: Buffer) => void received.push(JSON.parse(message.toString("utf8"))) };
  };
  const wait = (ms: number) => {
    time += ms;
    requests.sweep(time);
  };
  return { requests, session, other, via, toClient, missing, openServer, wait };
}

interface WorldOptions {
  readonly replacesTokens: boolean;
  readonly capabilities?: readonly string[];
  readonly maxServerRequests?: number;
}

describe.each([{ replacesTokens: false }, { replacesTokens: true }])("with %o", (options) => {
  test("a ping is answered at once, and no client gets it", () => {
    const { requests, toClient, openServer } = openWorld(options);
    const server = openServer();

    requests.route(server, toEnvelope({ id: 7, method: "ping" }));

    expect(server.received).toEqual([{ jsonrpc: "2.0", id: 7, result: {} }]);
    expect(toClient).toEqual([]);
  });

  test("two servers with the same id and token get their own answers and progress", () => {
    const { requests, session, other, via, toClient, openServer } = openWorld(options);
    const [first, second] = [openServer(), openServer()];
    requests.route(first, toEnvelope({ id: 1, ...SAMPLING }), via);
    requests.route(second, toEnvelope({ id: 1, ...SAMPLING }), via);
    const token = options.replacesTokens ? 2 : "t";
    expect(toClient.at(-1)).toMatchObject({ id: 2, params: { _meta: { progressToken: token } } });

    const progress = toEnvelope({ method: "notifications/progress", params: { progressToken: token, progress: 1 } });
    expect(requests.forwardProgress(other, progress)).toBe(false);
    expect(requests.forwardProgress(session, progress)).toBe(true);
    expect(requests.answer(other, toEnvelope({ id: 2, result: {} }))).toBe(false);
    expect(requests.answer(session, toEnvelope({ id: 2, result: {} }))).toBe(true);
    expect(requests.answer(session, toEnvelope({ id: 2, result: {} }))).toBe(false);

    expect(second.received).toContainEqual({ jsonrpc: "2.0", id: 1, result: {} });
    expect([...first.received, ...second.received]).toContainEqual(
      expect.objectContaining({ params: { progressToken: "t", progress: 1 } }),
    );
    expect(first.received).not.toContainEqual(expect.objectContaining({ id: 1 }));
  });

  test("one too many, and one that no client takes, get errors of their own", () => {
    const { requests, via, missing, openServer } = openWorld({ ...options, maxServerRequests: 1 });
    const server = openServer();
    requests.route(server, toEnvelope({ id: 1, ...SAMPLING }), via);
    requests.route(server, toEnvelope({ id: 2, ...SAMPLING }), via);
    requests.route(server, toEnvelope({ id: 3, method: "roots/list" }), via);
    requests.route(server, toEnvelope({ id: 4, method: "elicitation/create" }), via);

    expect(server.received).toMatchObject([
      { id: 2, error: { message: "Too many requests are open." } },
      { id: 3, error: { message: "No connected client takes roots/list." } },
      { id: 4, error: { message: "No connected client takes elicitation/create." } },
    ]);
    expect(missing).toEqual(["elicitation"]);
  });

  test("what is cancelled, too late, or of a server or client that has ended is open no longer", () => {
    const { requests, session, via, toClient, openServer, wait } = openWorld({ ...options, maxServerRequests: 10 });
    const [first, second] = [openServer(), openServer()];
    for (const id of [1, 2]) requests.route(first, toEnvelope({ id, ...SAMPLING }), via);
    requests.route(second, toEnvelope({ id: 1, ...SAMPLING }), via);

    requests.cancelByServer(first, Buffer.from("1"), "not needed");
    expect(toClient.at(-1)).toMatchObject({ params: { requestId: 1, reason: "not needed" } });
    requests.endServer(first, "it has ended");
    expect(toClient.at(-1)).toMatchObject({ params: { requestId: 2, reason: "it has ended" } });
    expect(requests.size).toBe(1);
    wait(1_000);
    expect(second.received).toMatchObject([{ id: 1, error: { message: "The client did not answer in time." } }]);
    requests.route(second, toEnvelope({ id: 2, ...SAMPLING }), via);
    requests.endSession(session);
    expect(second.received.at(-1)).toMatchObject({ id: 2, error: { message: "The client has gone." } });
    expect(requests.size).toBe(0);
  });
});
