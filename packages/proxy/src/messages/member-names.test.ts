/**
 * What another parser would read otherwise than we do is refused before it reaches the server, with policies and without:
 * else one client could speak under the ids of another.
 */
import { describe, expect, test } from "vitest";
import { openPair, type Pair } from "../testing/open-pair.ts";
import { buildUrl, EventReader, initializeBody, openSession, post } from "../testing/raw-client.ts";

const REFUSED: readonly (readonly [string, string])[] = [
  ["two ids", '{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}'],
  ["two ids, one of them escaped", '{"jsonrpc":"2.0","id":1,"i\\u0064":2,"method":"x"}'],
  ["an id in another case beside it", '{"jsonrpc":"2.0","id":1,"ID":2,"method":"x"}'],
  ["an id in another case alone", '{"jsonrpc":"2.0","ID":2,"method":"x"}'],
  ["a method in another case", '{"jsonrpc":"2.0","id":1,"method":"x","Method":"y"}'],
  ["params in another case", '{"jsonrpc":"2.0","id":1,"method":"x","PARAMS":{}}'],
  ["params with the long s", '{"jsonrpc":"2.0","id":1,"method":"x","param\u017f":{}}'],
  ["params that end in NUL", '{"jsonrpc":"2.0","id":1,"method":"x","params\\u0000":{}}'],
  ["a version in another case", '{"jsonrpc":"2.0","JSONRPC":"2.0","id":1,"method":"x"}'],
  ["an answer with a method in another case", '{"jsonrpc":"2.0","id":1,"result":{},"Method":"x"}'],
  ["an error in another case", '{"jsonrpc":"2.0","id":1,"result":{},"Error":{}}'],
  ["two _meta", request('"_meta":{"progressToken":5},"_meta":{}')],
  ["two _meta in the other order", request('"_meta":{},"_meta":{"progressToken":5}')],
  ["_meta in another case beside it", request('"_meta":{},"_Meta":{"progressToken":5}')],
  ["_meta in another case alone", request('"_META":{"progressToken":5}')],
  ["_meta without its line, with a token", request('"meta":{"progressToken":5}')],
  ["two tokens", request('"_meta":{"progressToken":5,"progressToken":5}')],
  ["two tokens, one of them escaped", request('"_meta":{"progressToken":"a","progressT\\u006fken":5}')],
  ["a token in another case beside it", request('"_meta":{"progressToken":"a","ProgressToken":5}')],
  ["a token in another case alone", request('"_meta":{"PROGRESSTOKEN":5}')],
  ["a token with the Kelvin sign", request('"_meta":{"progressTo\u212aen":5}')],
  ["a token in snake case", request('"_meta":{"progress_token":5}')],
  ["a token that is no text and no number", request('"_meta":{"progressToken":[5]}')],
  ["a token that some take for a number", request('"_meta":{"progressToken":true}')],
  ["two requests to cancel", notification("cancelled", '"requestId":1,"requestId":5')],
  ["a request to cancel in another case", notification("cancelled", '"requestId":1,"RequestID":5')],
  ["two tokens of progress", notification("progress", '"progressToken":1,"progressToken":5,"progress":1')],
  ["a token of progress in another case", notification("progress", '"progressToken":1,"ProgressToken":5,"progress":1')],
  [
    "two resources to unsubscribe from",
    '{"jsonrpc":"2.0","id":1,"method":"resources/unsubscribe","params":{"uri":"a","URI":"b"}}',
  ],
];

function request(params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x",${params}}}`;
}

function notification(name: string, params: string): string {
  return `{"jsonrpc":"2.0","method":"notifications/${name}","params":{${params}}}`;
}

/** What reached the server after it was initialized. */
function reached({ server }: Pair): string[] {
  return server.seen.filter(({ method }) => !method?.includes("initialize")).map(({ raw }) => raw);
}

describe("a message", () => {
  test.each(REFUSED)("with %s is refused with 400", async (_, text) => {
    await using pair = await openPair({ onRequest: () => "{}" });
    const session = await openSession(pair.endpoint, { revision: "2025-03-26" });

    const single = await session.post(text);
    const batch = await session.post(`[${text}]`);
    const alone = await post(pair.endpoint, text);

    expect([single.status, batch.status, alone.status]).toEqual([400, 400, 400]);
    expect(await single.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32600 } });
    expect(reached(pair)).toEqual([]);
  });

  test.each(REFUSED)("with %s is refused with 400 over SSE", async (_, text) => {
    await using pair = await openPair({ onRequest: () => "{}" });
    const abort = new AbortController();
    const stream = await fetch(buildUrl(pair.endpoint, "/sse"), { signal: abort.signal });
    await using events = new EventReader(stream, abort);
    const address = (await events.next())?.data ?? "";
    await fetch(address, { method: "POST", body: initializeBody() });
    await events.next();

    const answer = await fetch(address, { method: "POST", body: text });

    expect(answer.status).toBe(400);
    expect(reached(pair)).toEqual([]);
  });

  test.each([
    ["members of its own", '{"jsonrpc":"2.0","id":1,"method":"x","extra":{"ID":2,"id":3}}'],
    ["names inside arguments", request('"arguments":{"ID":1,"id":2,"progressToken":3,"ProgressToken":4}')],
    ["a meta that holds no token", request('"meta":{"a":1}')],
    ["a token that is null", request('"_meta":{"progressToken":null}')],
  ])("with %s goes on", async (_, text) => {
    await using pair = await openPair({ onRequest: () => "{}" });
    const session = await openSession(pair.endpoint);

    expect((await session.post(text)).status).toBe(200);
    expect(reached(pair)).toHaveLength(1);
  });

  test.each([
    ["a text", '"mine"'],
    ["a number", "5"],
    ["a fraction", "5.0"],
  ])("with %s for a token shows the server another one", async (_, token) => {
    await using pair = await openPair({ onRequest: () => "{}" });
    const session = await openSession(pair.endpoint);

    await session.post(request(`"_meta":{"x":1,"progressToken":${token}}`));

    const { id, params } = await pair.server.receive("tools/call");
    expect(params._meta).toEqual({ x: 1, progressToken: id });
  });
});
