/**
 * A hostile server leads its own client to the API: such a client is no browser and has no Origin, and its user may do everything
 * here. What it sends says what it is.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { OPERATION_IDS, OPERATIONS } from "../contract/contract.ts";
import { ROUTES } from "../contract/routes.ts";
import { ServedWorld } from "../testing/served-world.ts";

const BASE = "/api/v1beta";
const JSON_TYPE = { "content-type": "application/json" };
const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const REGISTRATION =
  '{"client_name":"x","redirect_uris":["http://localhost/cb"],"grant_types":["authorization_code"],"response_types":["code"]}';

let served: ServedWorld;
beforeAll(async () => {
  served = await ServedWorld.start();
  await served.send("POST", `${BASE}/workloads`, { body: '{"name":"other","image":"mcp/echo:1"}' });
  await vi.waitFor(() => expect(served.supervisor.describe("other").status).toBe("running"), { timeout: 20_000 });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

const CHANGING = OPERATION_IDS.filter((id) => ROUTES[id].method !== "GET").map((id) => ({
  id,
  method: ROUTES[id].method,
  path: ROUTES[id].path.replace(/\{\w+\}/g, "other"),
}));

/** Node sends the body of a DELETE only with a Content-Length. */
const send = (method: string, path: string, headers: Record<string, string>, body: string) =>
  served.send(method, path, { headers: { ...headers, "content-length": String(Buffer.byteLength(body)) }, body });

describe("a client of MCP that was led to the API", () => {
  test.each(CHANGING)("does not get through $method $path", async ({ method, path }) => {
    const message = await send(method, path, JSON_TYPE, CALL);
    const batch = await send(method, path, JSON_TYPE, `[${CALL}]`);
    const session = await served.send(method, path, { headers: { "mcp-session-id": "s" } });
    const revision = await served.send(method, path, { headers: { "Mcp-Protocol-Version": "2025-06-18" } });

    for (const { status, body } of [message, batch, session, revision])
      expect([status, body]).toEqual([400, expect.stringMatching(/^This is not an MCP server\n/)]);
    expect(served.supervisor.describe("other").status).toBe("running");
  });

  test.each(CHANGING)("and signs in does not get through $method $path", async ({ method, path }) => {
    const registers = await send(method, path, JSON_TYPE, REGISTRATION);
    const token = "grant_type=authorization_code&code=x&client_id=y&redirect_uri=z";
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const asks = await send(method, path, form, token);

    expect([registers.status, asks.status]).toEqual([400, 415]);
    expect(registers.body).toMatch(/^This is not an MCP server\n/);
    expect(served.supervisor.describe("other").status).toBe("running");
  });

  test("is answered with which service this is, and which request it needs", async () => {
    const headers = { ...JSON_TYPE, accept: "application/json, text/event-stream" };
    const { status, body } = await served.send("POST", `${BASE}/workloads/other/stop`, { headers, body: CALL });

    expect([status, JSON.parse(body)]).toEqual([
      400,
      expect.objectContaining({
        detail: "The body is a message of JSON-RPC, and this is the API.",
        hint: "The MCP endpoint of a server is its url: GET /api/v1beta/workloads",
      }),
    ]);
  });
});

describe("a body", () => {
  test.each([
    [undefined, "has no Content-Type"],
    ["text/plain", 'has the Content-Type "text/plain"'],
    ["application/x-www-form-urlencoded", '"application/x-www-form-urlencoded"'],
    ["multipart/form-data; boundary=x", '"multipart/form-data; boundary=x"'],
    ["application/jsonx", '"application/jsonx"'],
    ["application/json-rpc", '"application/json-rpc"'],
    ["text/plain, application/json", '"text/plain, application/json"'],
    ["application/json, text/plain", '"application/json, text/plain"'],
    ["text/plain; application/json", '"text/plain; application/json"'],
    ["nonsense", '"nonsense"'],
  ])("of the type %s is refused with 415", async (type, shown) => {
    const body = '{"name":"typed","image":"mcp/echo:1"}';
    // An empty type is none.
    const headers = { "content-type": type ?? "" };

    const answer = await served.send("POST", `${BASE}/workloads`, { headers, body });

    expect([answer.status, answer.body]).toEqual([
      415,
      expect.stringMatching(/^Content-Type must be application\/json\n/),
    ]);
    expect(answer.body).toContain(shown);
    expect(answer.body).toContain("curl --header");
    expect(served.supervisor.list().map(({ name }) => name)).not.toContain("typed");
  });

  test.each([
    '{"\\u006asonrpc":"2.0"}',
    '{"image":"mcp/echo:1","name":"spelled","jsonrpc":null}',
    '[1,{"redirect_uris":[]}]',
  ])("%s is a message of another protocol", async (body) => {
    const answer = await served.send("POST", `${BASE}/workloads`, { body });

    expect([answer.status, answer.body]).toEqual([400, expect.stringMatching(/^This is not an MCP server\n/)]);
  });

  test("that only mentions one is not", async () => {
    const body = '{"image":"mcp/echo:1","name":"mentions","env_vars":["A=\\"jsonrpc\\""]}';

    expect((await served.send("POST", `${BASE}/workloads`, { body })).status).toBe(201);
  });

  test("that is empty needs no type", async () => {
    expect((await served.send("POST", `${BASE}/workloads/nobody/stop`)).status).toBe(404);
    expect((await served.send("POST", `${BASE}/workloads/nobody/stop`, { body: "" })).status).toBe(404);
  });
});

test("every operation that changes something says so in the document", async () => {
  const document = JSON.parse((await served.send("GET", "/api/openapi.json")).body);

  for (const { id, method } of CHANGING) {
    const { responses } = document.paths[ROUTES[id].path][method.toLowerCase()];
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["400", "415"]));
  }
  expect(Object.keys(OPERATIONS).length).toBeGreaterThan(CHANGING.length);
});
