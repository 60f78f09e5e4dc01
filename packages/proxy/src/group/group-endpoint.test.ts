/** One address for several servers: what clients see of them, and that nothing reaches the wrong one. */

import type { GroupEndpoint } from "@toolhive/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLIENT_ROUTES, openClient, type RouteClient } from "../testing/client-routes.ts";
import type { SeenMessage } from "../testing/fake-server.ts";
import { openGroup, openMember, openStdioMember, type TestMember, untilMember } from "../testing/open-group.ts";
import { SERVER_KINDS } from "../testing/open-guarded.ts";
import { openSession, post, type RawSession } from "../testing/raw-client.ts";

type Params = Readonly<Record<string, unknown>>;

/** A server that offers tools, prompts and resources and says its name in every answer. */
function answerAs(name: string, tools: readonly string[]) {
  return (method: string, params: Params): string | undefined =>
    ({
      "tools/list": JSON.stringify({
        tools: tools.map((tool) => ({ name: tool, description: name, inputSchema: {} })),
      }),
      "tools/call": JSON.stringify({ content: [{ type: "text", text: `${name}:${String(params.name)}` }] }),
      "prompts/list": JSON.stringify({ prompts: [{ name: "greet" }, { name: `only-${name}` }] }),
      "prompts/get": JSON.stringify({ messages: [], description: `${name}:${String(params.name)}` }),
      "resources/list": JSON.stringify({ resources: [{ uri: "file:///same" }, { uri: `file:///${name}/a` }] }),
      "resources/templates/list": JSON.stringify({ resourceTemplates: [{ uriTemplate: `${name}://{id}/end` }] }),
      "resources/read": JSON.stringify({ contents: [{ uri: params.uri, text: `${name}:${String(params.uri)}` }] }),
      "completion/complete": JSON.stringify({ completion: { values: [name, JSON.stringify(params.ref)] } }),
    })[method];
}

interface Opened extends AsyncDisposable {
  readonly group: GroupEndpoint;
  readonly members: readonly TestMember[];
}

async function open(members: readonly TestMember[], options: Parameters<typeof openGroup>[1] = {}): Promise<Opened> {
  const group = await openGroup(members, options);
  return {
    group,
    members,
    [Symbol.asyncDispose]: async () => {
      await group.close();
      for (const member of members) await member[Symbol.asyncDispose]();
    },
  };
}

async function request(session: RawSession, method: string, params: Params = {}, id = 1): Promise<Params> {
  const response = await session.post(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  const text = await response.text();
  const data = text.startsWith("{") ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
  return JSON.parse(data) as Params;
}

describe.each(SERVER_KINDS.flatMap((kind) => CLIENT_ROUTES.map((way) => [kind, way] as const)))(
  "servers on %s, a client over %s",
  (kind, way) => {
    let opened: Opened;
    let client: RouteClient;
    beforeAll(async () => {
      opened = await open([
        await openMember("beta", kind, answerAs("beta", ["search", "weather"])),
        await openMember("alpha", kind, answerAs("alpha", ["search", "clock"])),
      ]);
      for (const name of ["alpha", "beta"]) await untilMember(opened.group, name);
      client = await openClient(opened.group, way, {});
    });
    afterAll(async () => {
      await client[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    });

    test("names stay where they are unique, and begin with the server's where they are not", async () => {
      const { message } = await client.request("tools/list");

      expect((message.result as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual([
        "alpha__search",
        "clock",
        "beta__search",
        "weather",
      ]);
    });

    test.each([
      ["alpha__search", "alpha:search"],
      ["beta__search", "beta:search"],
      ["weather", "beta:weather"],
      ["beta__weather", "beta:weather"],
    ])("a call of %j reaches its server as %j", async (name, text) => {
      const { message } = await client.request("tools/call", { name, arguments: {} });

      expect(message).toMatchObject({ result: { content: [{ text }] } });
    });

    test.each(["search", "Weather", "weather ", "gamma__weather", "nothing"])("nobody has %j", async (name) => {
      const { message } = await client.request("tools/call", { name, arguments: {} });

      expect(message).toMatchObject({ error: { code: -32602 } });
    });

    test("prompts follow the same rule", async () => {
      const { message } = await client.request("prompts/list");
      expect((message.result as { prompts: { name: string }[] }).prompts.map(({ name }) => name)).toEqual([
        "alpha__greet",
        "only-alpha",
        "beta__greet",
        "only-beta",
      ]);
      expect((await client.request("prompts/get", { name: "beta__greet" })).message).toMatchObject({
        result: { description: "beta:greet" },
      });
    });

    test("resources keep their URIs where these are unique", async () => {
      const { message } = await client.request("resources/list");
      expect((message.result as { resources: { uri: string }[] }).resources.map(({ uri }) => uri)).toEqual([
        "mcp-group://alpha/file:///same",
        "file:///alpha/a",
        "mcp-group://beta/file:///same",
        "file:///beta/a",
      ]);
      expect((await client.request("resources/read", { uri: "file:///beta/a" })).message).toMatchObject({
        result: { contents: [{ uri: "file:///beta/a", text: "beta:file:///beta/a" }] },
      });
    });

    test("a URI that several have is read at the one that is named, and answered under the same", async () => {
      const uri = "mcp-group://beta/file:///same";

      expect((await client.request("resources/read", { uri })).message).toMatchObject({
        result: { contents: [{ uri, text: "beta:file:///same" }] },
      });
    });

    test("the same URI without a server's name is refused, with the addresses to use", async () => {
      expect((await client.request("resources/read", { uri: "file:///same" })).message).toMatchObject({
        error: {
          code: -32602,
          message: expect.stringContaining(
            'Use one of: "mcp-group://alpha/file:///same", "mcp-group://beta/file:///same"',
          ),
        },
      });
    });

    test("a URI of a template is read at its server; one of nobody is not found", async () => {
      expect((await client.request("resources/read", { uri: "beta://7/end" })).message).toMatchObject({
        result: { contents: [{ text: "beta:beta://7/end" }] },
      });
      expect((await client.request("resources/read", { uri: "other://7" })).message).toMatchObject({
        error: { code: -32002 },
      });
    });

    test("completion asks the server of the prompt or the template", async () => {
      const byPrompt = await client.request("completion/complete", {
        ref: { type: "ref/prompt", name: "beta__greet" },
        argument: { name: "a", value: "" },
      });
      expect(byPrompt.message).toMatchObject({
        result: { completion: { values: ["beta", '{"type":"ref/prompt","name":"greet"}'] } },
      });
      const byTemplate = await client.request("completion/complete", {
        ref: { type: "ref/resource", uri: "alpha://{id}/end" },
        argument: { name: "id", value: "" },
      });
      expect(byTemplate.message).toMatchObject({ result: { completion: { values: ["alpha", expect.any(String)] } } });
    });
  },
);

describe("tools that were chosen for a group", () => {
  describe.each(CLIENT_ROUTES)("over %s", (way) => {
    let opened: Opened;
    let client: RouteClient;
    beforeAll(async () => {
      opened = await open(
        [
          await openMember("alpha", "stdio", answerAs("alpha", ["search", "clock"])),
          await openMember("beta", "stdio", answerAs("beta", ["search", "weather"])),
        ],
        {
          choice: {
            tools: [
              { server: "beta", name: "search" },
              { server: "beta", name: "weather" },
            ],
            overrides: [{ server: "beta", name: "search", override: { name: "find", description: "Finds" } }],
          },
        },
      );
      for (const name of ["alpha", "beta"]) await untilMember(opened.group, name);
      client = await openClient(opened.group, way, {});
    });
    afterAll(async () => {
      await client[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    });

    test("are listed alone", async () => {
      const { message } = await client.request("tools/list");

      expect(message).toMatchObject({
        result: { tools: [{ name: "find", description: "Finds" }, { name: "weather" }] },
      });
      expect(message).not.toHaveProperty("result.tools.2");
    });

    test.each([
      ["find", "beta:search"],
      ["weather", "beta:weather"],
      ["beta__weather", "beta:weather"],
    ])("are called by %j", async (name, text) => {
      expect((await client.request("tools/call", { name, arguments: {} })).message).toMatchObject({
        result: { content: [{ text }] },
      });
    });

    test.each(["clock", "alpha__clock", "alpha__search", "beta__search", "search"])(
      "cannot be gone round by %j",
      async (name) => {
        expect((await client.request("tools/call", { name, arguments: {} })).message).toMatchObject({
          error: { message: expect.stringContaining("is not offered here") },
        });
      },
    );
  });
});

describe("sessions of two clients", () => {
  test.each(["in this process", "over HTTP"])(
    "are apart at a server %s: nothing reaches the wrong one",
    async (place) => {
      // A server that writes its answers down is reached over HTTP.
      const options = place === "over HTTP" ? AUDITED : {};
      await using member = await openStdioMember("alpha", { onRequest: (message) => serve(message) }, options);
      await using group = await openGroup([member]);
      await untilMember(group, "alpha");
      const clients = await Promise.all(
        ["one", "two"].map(async (marker) => {
          const session = await openSession(group, { capabilities: { sampling: {} } });
          return { marker, session, stream: await session.listen() };
        }),
      );

      for (const { marker, session } of clients) {
        for (let round = 0; round < 20; round += 1) {
          const answer = await request(session, "tools/call", { name: "echo", arguments: { marker } }, round);
          expect(answer).toMatchObject({ id: round, result: { content: [{ text: marker }] } });
        }
        await request(session, "resources/subscribe", { uri: `mark://${marker}` });
      }
      member.pair.server.notify("notifications/resources/updated", { uri: "mark://two" });
      member.pair.server.notify("notifications/resources/updated", { uri: "mark://one" });

      for (const { marker, stream } of clients) {
        expect(await stream.nextMessage()).toMatchObject({ params: { uri: `mark://${marker}` } });
        await stream[Symbol.asyncDispose]();
      }
    },
  );

  test.each(["in this process", "over HTTP"])(
    "a question of a server %s that a client without a session cannot answer ends its call with what is missing",
    async (place) => {
      const options = place === "over HTTP" ? AUDITED : {};
      await using member = await openStdioMember("alpha", { onRequest: serveSilently }, options);
      await using group = await openGroup([member]);
      await untilMember(group, "alpha");
      const { server } = member.pair;

      const revision = "2026-07-28";
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", arguments: {}, _meta } };
      const headers = { "mcp-protocol-version": revision, "mcp-method": "tools/call", "mcp-name": "echo" };
      const response = post(group, JSON.stringify(body), headers);
      await server.receive("tools/call");
      server.request("q", "sampling/createMessage", {});

      expect((await response).status).toBe(400);
      expect(await (await response).json()).toMatchObject({
        error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
      });
      expect((await server.receiveAnswer("q")).error).toMatchObject({ code: -32012 });
    },
  );

  test.each(["in this process", "over HTTP"])(
    "a question of a server %s reaches the client whose call it is about",
    async (place) => {
      const options = place === "over HTTP" ? AUDITED : {};
      await using member = await openStdioMember("alpha", { onRequest: serveSilently }, options);
      await using other = await openStdioMember("beta", { onRequest: (message) => serve(message) });
      await using group = await openGroup([member, other]);
      for (const name of ["alpha", "beta"]) await untilMember(group, name);
      const one = await openSession(group, { capabilities: { sampling: {} } });
      const two = await openSession(group, { capabilities: { sampling: {} } });
      const { server } = member.pair;

      const params = { name: "alpha__echo", arguments: {}, _meta: { progressToken: "p" } };
      const response = one.post(JSON.stringify({ jsonrpc: "2.0", id: "c", method: "tools/call", params }));
      const call = await server.receive("tools/call");
      server.request("q", "sampling/createMessage", { marker: "one" });
      server.notify("notifications/progress", {
        progressToken: (call.params._meta as Params).progressToken,
        progress: 1,
      });

      const events = readEvents(await response);
      const asked = await events.next();
      expect(asked).toMatchObject({ method: "sampling/createMessage", params: { marker: "one" } });
      expect(await events.next()).toMatchObject({ method: "notifications/progress", params: { progressToken: "p" } });

      // An answer of a client that was not asked counts for nothing, nor does one of another server.
      await two.post(JSON.stringify({ jsonrpc: "2.0", id: asked.id, result: { text: "stolen" } }));
      other.pair.server.write(`{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":{"content":["stolen"]}}`);
      await one.post(JSON.stringify({ jsonrpc: "2.0", id: asked.id, result: { text: "mine" } }));
      expect((await server.receiveAnswer("q")).result).toEqual({ text: "mine" });

      server.answer(call, '{"content":["done"]}');
      expect(await events.next()).toMatchObject({ id: "c", result: { content: ["done"] } });
    },
  );

  test("a cancelled call is cancelled at its server, under the server's id", async () => {
    await using member = await openStdioMember("alpha", { onRequest: serveSilently });
    await using group = await openGroup([member]);
    await untilMember(group, "alpha");
    const session = await openSession(group);

    const answer = session.post('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo"}}');
    const called = await member.pair.server.receive("tools/call");
    await session.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}');

    const cancelled = await member.pair.server.receive("notifications/cancelled");
    expect(cancelled.params.requestId).toBe(called.id);
    expect((await answer).status).toBe(202);
  });

  test("a level of logging is set at a server when the client first uses it", async () => {
    await using member = await openStdioMember("alpha", { onRequest: (message) => serve(message) });
    await using group = await openGroup([member]);
    await untilMember(group, "alpha");
    const session = await openSession(group);

    expect(await request(session, "logging/setLevel", { level: "error" })).toMatchObject({ result: {} });
    await request(session, "tools/call", { name: "echo", arguments: { marker: "x" } });

    expect((await member.pair.server.receive("logging/setLevel")).params).toEqual({ level: "error" });
  });
});

/** Rules of a server, which are kept by the listener of its own endpoint. */
const AUDITED = {
  access: {
    authz_config: {
      version: "1.0",
      type: "cedarv1" as const,
      cedar: { policies: ["permit(principal, action, resource);"], entities_json: "[]" },
    },
  },
};

/** Repeats the marker of a call. */
function serve(message: SeenMessage): string | undefined {
  if (message.method === "tools/list") return '{"tools":[{"name":"echo"}]}';
  if (message.method === "resources/list") return '{"resources":[{"uri":"mark://one"},{"uri":"mark://two"}]}';
  if (message.method !== "tools/call") return "{}";
  const { arguments: given } = message.params as { arguments?: { marker?: string } };
  return JSON.stringify({ content: [{ type: "text", text: given?.marker }] });
}

function serveSilently(message: SeenMessage): string | undefined {
  return message.method === "tools/call" ? undefined : serve(message);
}

/** The messages of one response, in order. */
function readEvents(response: Response): { next(): Promise<Params & { readonly id?: unknown }> } {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const next = async (): Promise<Params> => {
    for (;;) {
      const match = /^data: (.*)\n\n/m.exec(text);
      if (match !== null) {
        text = text.slice(match.index + match[0].length);
        return JSON.parse(match[1] ?? "") as Params;
      }
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) throw new Error(`the stream ended: ${text}`);
      text += decoder.decode(chunk.value, { stream: true });
    }
  };
  return { next };
}
