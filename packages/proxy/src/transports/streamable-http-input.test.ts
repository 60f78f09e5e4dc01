/** What clients send over streamable HTTP that is more than one message, or none at all. */
import { describe, expect, test } from "vitest";
import { openPair } from "../testing/open-pair.ts";
import { CLIENT_HEADERS, initializeBody, openSession, rawRequest } from "../testing/raw-client.ts";

const CALL = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}';

describe("a batch", () => {
  const BATCH =
    '[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":2,"method":"tools/call"}]';

  test("is answered as one array in revision 2025-03-26", async () => {
    await using pair = await openPair({ onRequest: ({ method }) => `"${method}"` });
    const session = await openSession(pair.endpoint, { revision: "2025-03-26" });

    const response = await session.post(BATCH);

    expect(await response.json()).toEqual([
      { jsonrpc: "2.0", id: 1, result: "tools/list" },
      { jsonrpc: "2.0", id: 2, result: "tools/call" },
    ]);
    expect(pair.server.listSeen("notifications/x")).toHaveLength(1);
  });

  test("is refused in later revisions", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint, { revision: "2025-06-18" });

    const response = await session.post(BATCH);

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32600 } });
  });

  test("must not contain initialize", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint, { revision: "2025-03-26" });

    expect((await session.post(`[${initializeBody()}]`)).status).toBe(400);
  });
});

describe("bad input", () => {
  test.each([
    ["an answer and no session id", { body: '{"jsonrpc":"2.0","id":1,"result":{}}' }, 400, -32600],
    ["a GET without a session id", { method: "GET" }, 400, -32600],
    ["an unknown session id", { body: CALL, headers: { "mcp-session-id": "gone" } }, 404, -32001],
    ["a body that is not JSON", { body: "{" }, 400, -32700],
    ["a body that is not UTF-8", { body: Buffer.from([0x22, 0xff, 0x22]) }, 400, -32700],
    ["a body that is no message", { body: '{"a":1}' }, 400, -32600],
    ["a message with two ids", { body: '{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}' }, 400, -32600],
    ["an id that is null", { body: '{"jsonrpc":"2.0","id":null,"method":"x"}' }, 400, -32600],
    ["an empty array", { body: "[]" }, 400, -32600],
    ["another method", { method: "PUT", body: CALL }, 405, -32600],
    ["an Accept header that takes neither form", { body: CALL, headers: { accept: "text/html" } }, 406, -32600],
    ["a GET that does not take event streams", { method: "GET", headers: { accept: "application/json" } }, 406, -32600],
    ["another content type", { body: CALL, headers: { "content-type": "text/plain" } }, 415, -32600],
    ["a body above the bound", { body: `"${"x".repeat(2000)}"` }, 413, -32600],
    ["an unknown protocol revision", { body: CALL, headers: { "mcp-protocol-version": "1999-01-01" } }, 400, -32600],
    ["another path", { path: "/other", body: CALL }, 404, -32600],
    ["a foreign Host", { body: CALL, headers: { host: "evil.example" } }, 403, -32600],
    ["a foreign Origin", { body: CALL, headers: { origin: "https://evil.example" } }, 403, -32600],
    [
      "the Origin of another port of this machine",
      { body: CALL, headers: { origin: "http://localhost:6274" } },
      403,
      -32600,
    ],
    ["the Origin null", { body: CALL, headers: { origin: "null" } }, 403, -32600],
  ])("with %s gets its status and a JSON-RPC error", async (_, request, status, code) => {
    await using pair = await openPair({}, { limits: { maxBodyBytes: 1000 } });
    const headers = { ...CLIENT_HEADERS, ...("headers" in request ? request.headers : {}) };

    const answer = await rawRequest(pair.endpoint, { ...request, headers });

    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: "2.0", id: null, error: { code } });
    expect(pair.server.seen).toHaveLength(0);
  });

  test.each(["localhost", "127.0.0.1", "[::1]"])("does not include the Host %s", async (name) => {
    await using pair = await openPair({}, { allowedOrigins: ["http://localhost:6274"] });
    const headers = { ...CLIENT_HEADERS, host: `${name}:${pair.endpoint.port}`, origin: "http://localhost:6274" };

    const answer = await rawRequest(pair.endpoint, { headers, body: initializeBody() });

    expect(answer.status).toBe(200);
    expect(answer.headers["access-control-allow-origin"]).toBe("http://localhost:6274");
  });

  test("includes the right Host with the wrong port", async () => {
    await using pair = await openPair();

    const answer = await rawRequest(pair.endpoint, { headers: { ...CLIENT_HEADERS, host: "localhost:1" }, body: CALL });

    expect(answer.status).toBe(403);
  });
});
