/**
 * Messages of revisions with sessions that come without one: each post is answered for itself, and leaves nothing.
 */
import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import { openApart } from "../src/testing/open-apart.ts";
import { openPair } from "../src/testing/open-pair.ts";
import { openSession, post } from "../src/testing/raw-client.ts";

const CALL = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}';
const NOTHING = { sessions: 0, streams: 0, pendingRequests: 0 };

describe("a message without a session", () => {
  test("is answered, and the server is initialized for it once", async () => {
    await using pair = await openPair({ onRequest: () => '{"content":[]}' });

    const answers = [await post(pair.endpoint, CALL), await post(pair.endpoint, CALL)];

    for (const answer of answers) {
      expect([answer.status, answer.headers.get("mcp-session-id")]).toEqual([200, null]);
      expect(await answer.text()).toBe('{"jsonrpc":"2.0","id":7,"result":{"content":[]}}');
    }
    expect(pair.server.listSeen("initialize")).toHaveLength(1);
    expect(pair.server.listSeen("notifications/initialized")).toHaveLength(1);
    expect(pair.endpoint.counts).toEqual(NOTHING);
  });

  test("may be a batch, whose answers come together", async () => {
    await using pair = await openPair({ onRequest: ({ params }) => JSON.stringify({ params }) });
    const item = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list", params: { cursor: `c${id}` } });

    const answer = await post(pair.endpoint, JSON.stringify([item(4), item(5)]));

    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual([
      { jsonrpc: "2.0", id: 4, result: { params: { cursor: "c4" } } },
      { jsonrpc: "2.0", id: 5, result: { params: { cursor: "c5" } } },
    ]);
  });

  test("may not be a batch of a revision that has none", async () => {
    await using pair = await openPair();

    const answer = await post(pair.endpoint, `[${CALL}]`, { "mcp-protocol-version": "2025-06-18" });

    expect(answer.status).toBe(400);
  });

  test("is accepted when it is a notification", async () => {
    await using pair = await openPair();

    const answer = await post(pair.endpoint, '{"jsonrpc":"2.0","method":"notifications/initialized"}');

    expect([answer.status, await answer.text()]).toEqual([202, ""]);
  });

  test("is cancelled at the server when its client leaves, because nobody could fetch the answer", async () => {
    await using pair = await openPair();
    const abort = new AbortController();
    const left = post(pair.endpoint, CALL, {}, abort.signal).catch(() => "left");
    const message = await pair.server.receive("tools/call");

    abort.abort();
    await left;

    expect((await pair.server.receive("notifications/cancelled")).params.requestId).toBe(message.id);
    await waitFor(() => pair.endpoint.counts.pendingRequests === 0, { what: "the request to be forgotten" });
  });

  test("asks its client nothing: it could not answer", async () => {
    await using pair = await openPair();
    await openSession(pair.endpoint, { capabilities: { elicitation: {} } });
    const answer = post(pair.endpoint, CALL);
    const message = await pair.server.receive("tools/call");

    pair.server.request(3, "elicitation/create", {});

    expect((await pair.server.receiveAnswer(3)).error).toMatchObject({ code: -32012 });
    pair.server.answer(message, "{}");
    expect(await (await answer).json()).toMatchObject({ id: 7, result: {} });
  });

  test("holds the server's progress and answer for its own caller, like any other", async () => {
    await using apart = await openApart();
    const as = { alice: await apart.as("alice"), mallory: await apart.as("mallory") };
    const body = (token: string): string => CALL.replace('"x"', `"x","_meta":{"progressToken":"${token}"}`);
    const answers = [post(apart.endpoint, body("a"), as.alice), post(apart.endpoint, body("m"), as.mallory)];
    await apart.server.receive("tools/call", 2);

    for (const { id } of apart.server.listSeen("tools/call")) {
      apart.server.notify("notifications/progress", { progressToken: id, progress: 1 });
    }
    for (const message of apart.server.listSeen("tools/call")) apart.server.answer(message, "{}");

    const texts = await Promise.all(answers.map(async (answer) => await (await answer).text()));
    expect(texts.map((text) => [...text.matchAll(/"progressToken":"(.)"/g)].map(([, token]) => token))).toEqual([
      ["a"],
      ["m"],
    ]);
  });

  test("says that the server cannot be initialized", async () => {
    await using pair = await openPair({}, { limits: { queueWaitMs: 20, sweepMs: 5 } });
    pair.endpoint.disconnect("gone");

    const answer = await post(pair.endpoint, CALL);

    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
  });
});

describe("an older client of a server that knows no sessions", () => {
  test("gets no session id with the refusal, and may say that it is initialized", async () => {
    await using pair = await openPair({ isSilent: true });
    const opened = post(
      pair.endpoint,
      '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}',
    );
    const { id } = await pair.server.receive("initialize");
    pair.server.write(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32022,"message":"no","data":{}}}`);

    const refused = await opened;
    const told = await post(pair.endpoint, '{"jsonrpc":"2.0","method":"notifications/initialized"}');

    expect(await refused.json()).toMatchObject({ id: 0, error: { code: -32022 } });
    expect(refused.headers.get("mcp-session-id")).toBeNull();
    expect(told.status).toBe(202);
  });
});
