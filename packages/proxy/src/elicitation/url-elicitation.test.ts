/** A server that has its user open an address (2025-11-25): who is asked, who is not, and what passes on every way to the client. */
import { describe, expect, test } from "vitest";
import { HttpEndpoint } from "../forward/http-endpoint.ts";
import type { FakeServer } from "../testing/fake-server.ts";
import { openApart } from "../testing/open-apart.ts";
import { openGroup, openStdioMember, untilMember } from "../testing/open-group.ts";
import { openPair } from "../testing/open-pair.ts";
import { CLIENT_HEADERS, EventReader, type Listening, openSession, post } from "../testing/raw-client.ts";
import { startHttpServer } from "../testing/raw-http-server.ts";

const URL_CLIENT = { elicitation: { form: {}, url: {} } };
const ASK = { mode: "url", elicitationId: "e-1", url: "https://login.example.com/start?x=1", message: "Sign in." };
const FORM = { message: "Name?", requestedSchema: { type: "object", properties: {} } };
const COMPLETE = "notifications/elicitation/complete";
const call = (id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{}}}`;
const required = (url: string): string =>
  `{"code":-32042,"message":"Sign in first.","data":{"elicitations":[${JSON.stringify({ ...ASK, url })}],"more":[1,2.50]}}`;

interface World extends AsyncDisposable {
  readonly client: Listening;
  readonly server: FakeServer;
}

const WORLDS: Readonly<Record<string, () => Promise<World>>> = {
  "a workload": async () => {
    const pair = await openPair();
    return { client: pair.endpoint, server: pair.server, [Symbol.asyncDispose]: () => pair[Symbol.asyncDispose]() };
  },
  "a group": async () => {
    const tools = '{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}';
    const member = await openStdioMember("alpha", {
      onRequest: ({ method }) => (method === "tools/call" ? undefined : method === "tools/list" ? tools : "{}"),
    });
    const group = await openGroup([member]);
    await untilMember(group, "alpha");
    return {
      client: group,
      server: member.pair.server,
      [Symbol.asyncDispose]: async () => {
        await group[Symbol.asyncDispose]();
        await member[Symbol.asyncDispose]();
      },
    };
  },
};

describe.each(Object.entries(WORLDS))("at %s", (_place, openWorld) => {
  test("a client that opens addresses is asked to, and its answer goes back", async () => {
    await using world = await openWorld();
    const session = await openSession(world.client, { revision: "2025-11-25", capabilities: URL_CLIENT });
    const response = session.post(call(1));
    await world.server.receive("tools/call");

    world.server.request("q", "elicitation/create", ASK);
    const asked = (await new EventReader(await response).nextMessage()) as { id: number };
    await session.post(`{"jsonrpc":"2.0","id":${asked.id},"result":{"action":"accept"}}`);

    expect(asked).toMatchObject({ method: "elicitation/create", params: ASK });
    expect((await world.server.receiveAnswer("q")).result).toEqual({ action: "accept" });
  });

  test.each([
    ["forms as before 2025-11-25", { elicitation: {} }, ASK, FORM],
    ["forms", { elicitation: { form: {} } }, ASK, FORM],
    ["addresses", { elicitation: { url: {} } }, FORM, ASK],
  ])("a client that declares %s is asked for nothing else", async (_what, capabilities, refused, taken) => {
    await using world = await openWorld();
    const session = await openSession(world.client, { revision: "2025-11-25", capabilities });
    const response = session.post(call(1));
    await world.server.receive("tools/call");

    world.server.request("no", "elicitation/create", refused);
    expect((await world.server.receiveAnswer("no")).error).toMatchObject({ code: -32012 });
    world.server.request("yes", "elicitation/create", taken);
    expect(await new EventReader(await response).nextMessage()).toMatchObject({ params: taken });
  });

  test.each([
    ["a script", "javascript:alert(document.domain)"],
    ["a file", "file:///etc/passwd"],
    ["data", "data:text/html,<script>1</script>"],
    ["another program", "ms-settings:privacy"],
    ["a user name", "https://login.example.com@evil.example/"],
    ["a password", "https://a:b@login.example.com/"],
    ["a backslash", "https://login.example.com\\\\@evil.example/"],
    ["a blank", "https://login.example.com /"],
    ["a control character", "https://login.example.com/\u0007"],
    ["a tab within the scheme", "java\tscript:alert(1)"],
    ["no address at all", "not an address"],
    ["nothing", ""],
    ["far too much", `https://login.example.com/${"a".repeat(9_000)}`],
  ])("an address with %s reaches no client, neither in a question nor in an error", async (_what, url) => {
    await using world = await openWorld();
    const session = await openSession(world.client, { revision: "2025-11-25", capabilities: URL_CLIENT });
    const response = session.post(call(1));
    const { id } = await world.server.receive("tools/call");

    world.server.request("q", "elicitation/create", { ...ASK, url });
    expect((await world.server.receiveAnswer("q")).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("https:// or http://"),
    });
    world.server.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${required(url)}}`);

    const text = await (await response).text();
    expect(text).toContain("is not passed on");
    expect(text).not.toContain("elicitationId");
  });

  test("the error that a person has to open an address first passes unchanged", async () => {
    await using world = await openWorld();
    const session = await openSession(world.client, { revision: "2025-11-25", capabilities: URL_CLIENT });
    const response = session.post(call(1));
    const { id } = await world.server.receive("tools/call");

    world.server.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${required(ASK.url)}}`);

    expect(await (await response).text()).toContain(`"error":${required(ASK.url)}`);
  });

  test("its end is reported to the client that was asked, after the call has ended", async () => {
    await using world = await openWorld();
    const session = await openSession(world.client, { revision: "2025-11-25", capabilities: URL_CLIENT });
    const response = session.post(call(1));
    const { id } = await world.server.receive("tools/call");
    world.server.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${required(ASK.url)}}`);
    await (await response).text();
    await using stream = await session.listen();

    world.server.notify(COMPLETE, { elicitationId: "e-1" });

    expect(await stream.nextMessage()).toMatchObject({ method: COMPLETE, params: { elicitationId: "e-1" } });
  });
});

test("of two callers of one process, the end of an address reaches the one who was asked to open it, and no other", async () => {
  await using apart = await openApart();
  const open = async (name: string) => {
    const session = await apart.open(name, { revision: "2025-11-25", capabilities: URL_CLIENT });
    return { session, stream: await session.listen() };
  };
  const [alice, mallory] = [await open("alice"), await open("mallory")];
  const end = async ({ session }: typeof alice, count: number, elicitationId: string) => {
    const response = session.post(call(1));
    const { id } = await apart.server.receive("tools/call", count);
    const error = required(ASK.url).replace("e-1", elicitationId);
    apart.server.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${error}}`);
    await (await response).text();
  };
  await end(alice, 1, "of-alice");
  await end(mallory, 2, "of-mallory");

  apart.server.notify(COMPLETE, { elicitationId: "of-nobody" });
  apart.server.notify(COMPLETE, { elicitationId: "of-mallory" });
  apart.server.notify(COMPLETE, { elicitationId: "of-alice" });

  expect(await alice.stream.nextMessage()).toMatchObject({ params: { elicitationId: "of-alice" } });
  expect(await mallory.stream.nextMessage()).toMatchObject({ params: { elicitationId: "of-mallory" } });
  for (const { stream } of [alice, mallory]) await stream[Symbol.asyncDispose]();
});

test("a call of 2026-07-28 whose client opens no addresses fails with the capability that is missing", async () => {
  await using pair = await openPair();
  const revision = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", arguments: {}, _meta } };
  const headers = { "mcp-protocol-version": revision, "mcp-method": "tools/call", "mcp-name": "echo" };
  const response = post(pair.endpoint, JSON.stringify(body), headers);
  await pair.server.receive("tools/call");

  pair.server.request("q", "elicitation/create", ASK);

  expect(await (await response).json()).toMatchObject({
    error: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } },
  });
});

test("a server that speaks HTTP itself asks, reports and refuses in its own bytes", async () => {
  const messages = [
    `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":${JSON.stringify(ASK)}}`,
    `{"jsonrpc":"2.0","method":"${COMPLETE}","params":{"elicitationId":"e-1"}}`,
    `{"jsonrpc":"2.0","id":1,"error":${required(ASK.url)}}`,
  ];
  const received: string[] = [];
  await using server = await startHttpServer((request, response) => {
    request.on("data", (chunk) => received.push(String(chunk)));
    request.on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(messages.map((message) => `data: ${message}\n\n`).join(""));
    });
  });
  await using endpoint = await HttpEndpoint.open({
    name: "h",
    host: "127.0.0.1",
    port: 0,
    transport: "streamable-http",
  });
  endpoint.connect({ host: "127.0.0.1", port: server.port });
  const initialize = {
    ...{ jsonrpc: "2.0", id: 0, method: "initialize" },
    params: { protocolVersion: "2025-11-25", capabilities: URL_CLIENT, clientInfo: { name: "raw", version: "1" } },
  };

  const answers = [JSON.stringify(initialize), call(1)].map(
    async (body) =>
      await fetch(`http://127.0.0.1:${endpoint.port}/mcp`, { method: "POST", headers: CLIENT_HEADERS, body }),
  );
  const texts = await Promise.all(answers.map(async (answer) => await (await answer).text()));

  expect(received.join("")).toContain(JSON.stringify(URL_CLIENT));
  for (const text of texts) for (const message of messages) expect(text).toContain(message);
});
