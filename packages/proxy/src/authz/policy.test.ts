import { userInfo } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openClient, ROUTES, type RouteClient } from "../testing/client-routes.ts";
import { type Guarded, openGuarded, type SERVER_KINDS } from "../testing/open-guarded.ts";
import { buildUrl, CLIENT_HEADERS, EventReader, initializeBody, post } from "../testing/raw-client.ts";
import { startHttpServer } from "../testing/raw-http-server.ts";
import { findPolicyProblem } from "./cedar/find-policy-problem.ts";

/** Ada may use the weather, its prompt and its files; the team of operators may do everything but one thing. */
const AUTHZ = {
  version: "1.0",
  type: "cedarv1" as const,
  cedar: {
    policies: [
      'permit(principal == Client::"ada", action == Action::"call_tool", resource == Tool::"weather");',
      'permit(principal == Client::"ada", action == Action::"get_prompt", resource == Prompt::"greeting");',
      'permit(principal == Client::"ada", action == Action::"read_resource", resource == Resource::"file____data_a_txt");',
      'permit(principal in Team::"operators", action, resource);',
      'forbid(principal, action == Action::"call_tool", resource == Tool::"destroy");',
      'permit(principal, action == Action::"call_tool", resource == Tool::"cap");',
      'forbid(principal, action, resource == Tool::"cap") when { context has arg_amount && context.arg_amount > 100 };',
      'permit(principal, action == Action::"call_tool", resource == Tool::"pay") when { context has arg_amount && context.arg_amount <= 100 && principal.claim_roles.contains("buyer") };',
    ],
    entities_json: JSON.stringify([
      { uid: { type: "Client", id: "root" }, attrs: {}, parents: [{ type: "Team", id: "operators" }] },
    ]),
  },
};

const LISTS: Readonly<Record<string, string>> = {
  "tools/list":
    '{"tools":[{"name":"weather","x":1},{"name":"destroy"},{"name":"pay"},{"name":"cap"}],"nextCursor":"c2"}',
  "prompts/list": '{"prompts":[{"name":"greeting"},{"name":"farewell"}]}',
  "resources/list": '{"resources":[{"uri":"file:///data/a.txt","name":"a"},{"uri":"file:///etc/passwd","name":"b"}]}',
  "resources/templates/list": '{"resourceTemplates":[{"uriTemplate":"file:///{path}","name":"t"}]}',
};

function answer(method: string): string {
  return LISTS[method] ?? '{"content":["DONE"]}';
}

const open = (kind: (typeof SERVER_KINDS)[number]) =>
  openGuarded({ kind, access: { authz_config: AUTHZ }, onRequest: answer });

/** Who does what, and whether it passes; every row holds on every route. */
const ALLOWED = true;
const DENIED = false;
const TRUTH: readonly (readonly [string, string, Readonly<Record<string, unknown>>, boolean])[] = [
  ["ada", "tools/call", { name: "weather", arguments: { city: "Oslo" } }, ALLOWED],
  ["ada", "tools/call", { name: "Weather" }, DENIED],
  ["ada", "tools/call", { name: "weather\u200b" }, DENIED],
  ["ada", "tools/call", { name: "destroy" }, DENIED],
  ["ada", "tools/call", {}, DENIED],
  ["ada", "tools/call", { name: ["weather"] }, DENIED],
  ["ada", "prompts/get", { name: "greeting" }, ALLOWED],
  ["ada", "prompts/get", { name: "farewell" }, DENIED],
  ["ada", "resources/read", { uri: "file:///data/a.txt" }, ALLOWED],
  ["ada", "resources/read", { uri: "file:///etc/passwd" }, DENIED],
  ["ada", "completion/complete", { ref: { type: "ref/prompt", name: "greeting" } }, ALLOWED],
  ["ada", "completion/complete", { ref: { type: "ref/prompt", name: "farewell" } }, DENIED],
  ["ada", "completion/complete", { ref: { type: "ref/resource", uri: "file:///{path}" } }, DENIED],
  ["ada", "tasks/list", {}, DENIED],
  ["ada", "tasks/get", { taskId: "1" }, DENIED],
  ["ada", "tools/delete", { name: "weather" }, DENIED],
  ["ada", "TOOLS/CALL", { name: "weather" }, DENIED],
  ["bob", "tools/call", { name: "weather" }, DENIED],
  ["bob", "prompts/get", { name: "greeting" }, DENIED],
  ["bob", "resources/read", { uri: "file:///data/a.txt" }, DENIED],
  ["root", "tools/call", { name: "weather" }, ALLOWED],
  ["root", "tools/call", { name: "anything" }, ALLOWED],
  ["root", "tools/call", { name: "destroy" }, DENIED],
  ["root", "resources/read", { uri: "file:///etc/passwd" }, ALLOWED],
  ["root", "tasks/list", {}, DENIED],
  ["buyer", "tools/call", { name: "pay", arguments: { amount: 100 } }, ALLOWED],
  ["buyer", "tools/call", { name: "pay", arguments: { amount: 101 } }, DENIED],
  ["buyer", "tools/call", { name: "pay", arguments: { amount: 99.5 } }, DENIED],
  ["buyer", "tools/call", { name: "pay", arguments: { amount: "100" } }, DENIED],
  ["buyer", "tools/call", { name: "pay", arguments: { amount: 1e300 } }, DENIED],
  ["buyer", "tools/call", { name: "pay", arguments: {} }, DENIED],
  ["bob", "tools/call", { name: "pay", arguments: { amount: 1 } }, DENIED],
  ["bob", "tools/call", { name: "cap", arguments: { amount: 100, Note: "x", note2: "y" } }, ALLOWED],
  ["bob", "tools/call", { name: "cap", arguments: { amount: 101 } }, DENIED],
  ["bob", "tools/call", { name: "cap", arguments: { Amount: 101 } }, DENIED],
];

const listRoles = (subject: string) => (subject === "buyer" ? ["buyer"] : ["reader"]);

describe.each(ROUTES)("policies of a %s server, reached by %s", (kind, way) => {
  let guarded: Guarded;
  const clients = new Map<string, RouteClient>();
  beforeAll(async () => {
    guarded = await open(kind);
    for (const subject of ["ada", "bob", "root", "buyer"]) {
      const headers = await guarded.as(subject, { roles: listRoles(subject) });
      clients.set(subject, await openClient(guarded.endpoint, way, headers));
    }
  });
  afterAll(async () => {
    for (const client of clients.values()) await client[Symbol.asyncDispose]();
    await guarded[Symbol.asyncDispose]();
  });

  test.each(TRUTH)("%s, %s of %j: %s", async (subject, method, params, isAllowed) => {
    const { message } = (await clients.get(subject)?.request(method, params)) ?? { message: {} };

    if (isAllowed) expect(message).toMatchObject({ result: { content: ["DONE"] } });
    else {
      // Revision 2026-07-28 has no tasks/list, and wants a header for tasks/get: then the reason is another one.
      const code = way === "modern" && method.startsWith("tasks/") ? expect.any(Number) : -32013;
      expect(message).toMatchObject({ jsonrpc: "2.0", id: expect.any(Number), error: { code } });
    }
  });

  test("a denial has status 403 where it answers the request itself", async () => {
    const denied = await clients.get("bob")?.request("tools/call", { name: "weather" });

    const expected = kind === "stdio" && way === "sse" ? 202 : 403;
    expect(denied?.status).toBe(expected);
    expect(denied?.message).toMatchObject({
      error: { message: 'Unauthorized: call_tool "weather" is not permitted.' },
    });
  });

  test.each([
    ["ada", "tools/list", { tools: [{ name: "weather", x: 1 }, { name: "cap" }], nextCursor: "c2" }],
    ["ada", "prompts/list", { prompts: [{ name: "greeting" }] }],
    ["ada", "resources/list", { resources: [{ uri: "file:///data/a.txt", name: "a" }] }],
    ["ada", "resources/templates/list", { resourceTemplates: [] }],
    ["bob", "tools/list", { tools: [{ name: "cap" }], nextCursor: "c2" }],
    // It may pay small amounts, and cap them; a list has no amounts.
    ["buyer", "tools/list", { tools: [{ name: "cap" }], nextCursor: "c2" }],
    ["root", "tools/list", { tools: [{ name: "weather", x: 1 }, { name: "pay" }, { name: "cap" }], nextCursor: "c2" }],
    ["root", "resources/templates/list", { resourceTemplates: [{ uriTemplate: "file:///{path}", name: "t" }] }],
  ])("%s sees in %s what may be used", async (subject, method, expected) => {
    const answered = await clients.get(subject)?.request(method);

    expect(answered?.message.result).toMatchObject(expected);
    const [list] = Object.keys(expected);
    const shown = answered?.message.result as Record<string, unknown[]>;
    expect(shown[list ?? ""]).toHaveLength((expected as Record<string, unknown[]>)[list ?? ""]?.length ?? -1);
  });
});

/** Texts that one parser may read as allowed and another one as denied. */
const TRICKS: readonly (readonly [string, string])[] = [
  ["a name twice", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","name":"destroy"}}'],
  [
    "a name twice in the other order",
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"destroy","name":"weather"}}',
  ],
  [
    "an escaped second name",
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","n\\u0061me":"destroy"}}',
  ],
  [
    "a second name in upper case",
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","NAME":"destroy"}}',
  ],
  [
    "a second name with the Kelvin sign's kin",
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","argument\u017f":{},"arguments":{}}}',
  ],
  [
    "params twice",
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather"},"params":{"name":"destroy"}}',
  ],
  [
    "a second method in upper case",
    '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"destroy"}}',
  ],
  [
    "an argument twice",
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{"amount":1,"amount":1000}}}',
  ],
  ["half a character", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather\\ud800"}}'],
  [
    "arguments in another case",
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"cap","Arguments":{"amount":1000}}}',
  ],
  [
    "arguments with a line in them",
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"cap","argu_ments":{"amount":1000}}}',
  ],
  [
    "an argument in another case",
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"cap","arguments":{"Amount":1000}}}',
  ],
  [
    "an argument that ends in NUL",
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"cap","arguments":{"amount\\u0000":1000}}}',
  ],
  [
    "a name that goes on after NUL",
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather\\u0000"}}',
  ],
  ["a name in another case", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"destroy"}}'],
  [
    "a method in another case",
    '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"destroy"}}',
  ],
  [
    "a URI in another case",
    '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///data/a.txt","URI":"file:///etc/passwd"}}',
  ],
  [
    "a reference in another case",
    '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"greeting","Type":"ref/resource"}}}',
  ],
  [
    "resources to watch in another case",
    '{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"ResourceSubscriptions":["file:///etc/passwd"]}}}',
  ],
  [
    "an inexact number",
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{"amount":9007199254740993}}}',
  ],
];

describe.each(["stdio", "streamable-http"] as const)("there is no way round the policies of a %s server", (kind) => {
  let guarded: Guarded;
  let buyer: Record<string, string>;
  const reached: string[] = [];
  beforeAll(async () => {
    guarded = await openGuarded({
      kind,
      access: { authz_config: AUTHZ },
      onRequest: (method, params) => {
        reached.push(`${method} ${String(params.name)}`);
        return "{}";
      },
    });
    const headers = await guarded.as("ada", { roles: ["buyer"] });
    const opened = await post(guarded.endpoint, initializeBody("2025-03-26"), headers);
    buyer = { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  });
  afterAll(() => guarded[Symbol.asyncDispose]());

  test.each(TRICKS)("by %s", async (_trick, text) => {
    const response = await post(guarded.endpoint, text, buyer);

    expect([400, 403]).toContain(response.status);
    expect(await response.json()).toMatchObject({ error: {} });
    expect(reached).toEqual([]);
  });

  test.each([
    ["text/plain", {}],
    ["application/x-www-form-urlencoded", {}],
    ["application/json; charset=utf-16", {}],
    ["application/json", { "content-encoding": "gzip" }],
    ["application/jsonp", {}],
  ])("by the content type %s %j", async (type, more) => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"destroy"}}';
    const body = type.includes("utf-16") ? Buffer.from(text, "utf16le") : text;

    const response = await fetch(buildUrl(guarded.endpoint), {
      method: "POST",
      body,
      headers: { ...CLIENT_HEADERS, ...buyer, "content-type": type, ...more },
    });

    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(reached).toEqual([]);
  });

  test("in a batch, which is refused when a part of it is", async () => {
    const call = (id: number, name: string) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name } });

    const response = await post(guarded.endpoint, JSON.stringify([call(1, "destroy"), call(2, "nothing")]), buyer);

    expect(await response.json()).toMatchObject([
      { id: 1, error: { code: -32013 } },
      { id: 2, error: { code: -32013 } },
    ]);
    expect(reached).toEqual([]);
  });

  test("with another method of HTTP", async () => {
    for (const method of ["PUT", "PATCH"]) {
      const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"destroy"}}';
      const response = await fetch(buildUrl(guarded.endpoint), {
        method,
        body,
        headers: { ...CLIENT_HEADERS, ...buyer },
      });
      expect(response.status).toBe(405);
    }
    expect(reached).toEqual([]);
  });
});

describe("a workload with policies and no token check", () => {
  test("takes every caller for the user of this machine", async () => {
    const { username } = userInfo();
    const policies = [`permit(principal == Client::${JSON.stringify(username)}, action, resource);`];
    await using guarded = await openGuarded({
      access: { authz_config: { ...AUTHZ, cedar: { policies } } },
      needsToken: false,
      onRequest: answer,
    });
    await using client = await openClient(guarded.endpoint, "session", {});

    expect((await client.request("tools/call", { name: "anything" })).message).toHaveProperty("result");
  });
});

describe("an authorisation file with mistakes", () => {
  test("is refused with all of them when the workload is created", async () => {
    const cedar = {
      policies: ["permit(principal, action", "permit(principal, action, resource);", "allow everything"],
      entities_json: '[{"uid":"Tool::\\"x\\""}]',
    };

    const error = await openGuarded({ access: { authz_config: { ...AUTHZ, cedar } } }).catch(
      (thrown: unknown) => thrown,
    );

    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(String(error)).toMatch(/cedar\.policies\[0\].*cedar\.policies\[2\].*cedar\.entities_json\[0\]/s);
  });

  test.each(["{", "7", "[7]"])("whose entities are %s is refused", async (entities_json) => {
    const cedar = { ...AUTHZ.cedar, entities_json };

    await expect(openGuarded({ access: { authz_config: { ...AUTHZ, cedar } } })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("cedar.entities_json"),
    });
  });
});

describe("entities of the file", () => {
  test("keep their attributes and parents beside those of the request", async () => {
    const cedar = {
      policies: [
        'permit(principal, action, resource in Shelf::"public") when { resource.owner == "us" && resource.feature == "tool" };',
      ],
      entities_json: JSON.stringify([
        { uid: { type: "Tool", id: "weather" }, attrs: { owner: "us" }, parents: [{ type: "Shelf", id: "public" }] },
        {
          uid: { __entity: { type: "Tool", id: "secret" } },
          attrs: { owner: "them" },
          parents: [{ type: "Shelf", id: "public" }],
        },
      ]),
    };
    await using guarded = await openGuarded({ access: { authz_config: { ...AUTHZ, cedar } }, onRequest: answer });
    await using client = await openClient(guarded.endpoint, "session", await guarded.as("anyone"));

    expect((await client.request("tools/call", { name: "weather" })).message).toHaveProperty("result");
    expect((await client.request("tools/call", { name: "secret" })).message).toHaveProperty("error");
  });
});

describe("lists on an event stream of an HTTP server", () => {
  test("are filtered too, and other events keep their bytes", async () => {
    await using server = await startHttpServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('id: 1\r\nevent: message\r\ndata: {"jsonrpc":"2.0","method":"note",  "params":{}}\r\n\r\n');
      const list = `{"jsonrpc":"2.0","id":1,"result":${LISTS["tools/list"]}}`;
      response.write(`: a comment\nid: 2\ndata: ${list.slice(0, 40)}`);
      response.end(`${list.slice(40)}\n\n`);
    });
    await using guarded = await openGuarded({ kind: "streamable-http", access: { authz_config: AUTHZ } });
    guarded.endpoint.connect({ host: "127.0.0.1", port: server.port });

    const response = await fetch(buildUrl(guarded.endpoint), {
      headers: { ...(await guarded.as("ada")), accept: "text/event-stream" },
    });

    const text = await response.text();
    expect(text).toContain('data: {"jsonrpc":"2.0","method":"note",  "params":{}}\r\n\r\n');
    expect(text).toContain("id: 2\n");
    expect(text).not.toContain("destroy");
    const events = new EventReader(new Response(text.replaceAll("\r\n", "\n")));
    await events.nextMessage();
    expect(await events.nextMessage()).toMatchObject({
      result: { tools: [{ name: "weather" }, { name: "cap" }], nextCursor: "c2" },
    });
  });

  test.each([
    [{ "content-type": "text/plain" }],
    [{ "content-type": "application/json", "content-encoding": "gzip" }],
    [{ "content-type": "text/event-stream", "content-encoding": "gzip" }],
  ])("are not handed on in an answer that cannot be read: %j", async (headers) => {
    await using server = await startHttpServer((request, response) => {
      request.resume();
      response.writeHead(200, headers).end("destroy");
    });
    await using guarded = await openGuarded({ kind: "streamable-http", access: { authz_config: AUTHZ } });
    guarded.endpoint.connect({ host: "127.0.0.1", port: server.port });

    const response = await post(guarded.endpoint, initializeBody(), await guarded.as("ada"));

    // A stream has begun when its first bytes show that they are not in their coding.
    const isStream = headers["content-type"] === "text/event-stream";
    expect(response.status).toBe(isStream ? 200 : 502);
    expect(await response.text().catch(() => "broken off")).toMatch(isStream ? /^broken off$/ : /^(?!.*destroy)/s);
  });
});

test("what is wrong with policies is found without loading them, with its place", () => {
  const policies = ["permit(principal, action, resource);", "permit(principal, action, resource)\nwhen { ä = 1 };"];

  const problem = findPolicyProblem({
    version: "1.0",
    type: "cedarv1",
    cedar: { policies, entities_json: "[]" },
  });

  expect(problem).toMatch(/^cedar\.policies\[1\], line 2, column \d+: [^;]+\.$/);
});
