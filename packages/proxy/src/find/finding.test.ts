/** Clients find tools instead of listing them, on every way to every kind of server, and at a group. */
import type { AccessConfig } from "@toolhive/core";
import { isRecord } from "@toolhive/http/values";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLIENT_ROUTES, openClient, ROUTES, type RouteClient } from "../testing/client-routes.ts";
import { openGroup, openMember, untilMember } from "../testing/open-group.ts";
import { openGuarded, type ServerKind } from "../testing/open-guarded.ts";
import { openPair, type Pair } from "../testing/open-pair.ts";
import { EventReader, type Listening, openSession } from "../testing/raw-client.ts";

/** Tools that reached the server, with their arguments. */
let called: [unknown, unknown][] = [];

const tool = (name: string, description: string, properties: Readonly<Record<string, unknown>> = {}) => ({
  name,
  title: "Not shown",
  description,
  inputSchema: { type: "object", properties, maximum: 1 },
  outputSchema: { type: "object" },
});

/** Three pages, the last one behind an empty cursor; one of the tools has the name of one of ours. */
const PAGES: Readonly<Record<string, unknown>> = {
  first: {
    tools: [
      tool("weather", "Tells the weather of a city", { city: { type: "string" } }),
      tool("destroy", "Deletes all files of a folder"),
      tool("find_tool", "Finds a hammer in the garage"),
    ],
    nextCursor: "second",
  },
  second: { tools: [tool("secretWeather", "Weather for spies")], nextCursor: "" },
  "": { tools: [tool("send_mail", "Sends an email to a person")] },
};

function answerRequest(method: string, params: Readonly<Record<string, unknown>>): string | undefined {
  if (method === "tools/list")
    return JSON.stringify(PAGES[params.cursor === undefined ? "first" : String(params.cursor)]);
  if (method !== "tools/call") return "{}";
  called.push([params.name, params.arguments]);
  return `{"content":[],"structuredContent":{"n":18446744073709551615},"from":${JSON.stringify(params.name)}}`;
}

const POLICIES: AccessConfig = {
  authz_config: {
    version: "1.0",
    type: "cedarv1",
    cedar: { policies: ['permit(principal, action, resource) unless { resource == Tool::"destroy" };'] },
  },
};

interface Audience extends AsyncDisposable {
  readonly endpoint: Listening;
}

async function openAudience(audience: "server" | "group", kind: ServerKind): Promise<Audience> {
  if (audience === "server") {
    return await openGuarded({
      kind,
      needsToken: false,
      access: POLICIES,
      tools: ["forecast", "destroy", "find_tool", "send_mail"],
      toolOverrides: { weather: { name: "forecast" } },
      findTools: true,
      onRequest: answerRequest,
    });
  }
  // The member's own clients find tools, too; its group knows all of them.
  const member = await openMember("beta", kind, answerRequest, { findTools: true });
  const group = await openGroup([member], {
    access: POLICIES,
    choice: {
      tools: ["weather", "destroy", "find_tool", "send_mail"].map((name) => ({ server: "beta", name })),
      overrides: [{ server: "beta", name: "weather", override: { name: "forecast" } }],
      isFinding: true,
    },
  });
  await untilMember(group, "beta");
  return {
    endpoint: group,
    [Symbol.asyncDispose]: async () => {
      await group.close();
      await member[Symbol.asyncDispose]();
    },
  };
}

const AUDIENCES = [
  ...ROUTES.map(([kind, way]) => ["server", kind, way] as const),
  ...(["stdio", "streamable-http", "sse"] as const).flatMap((kind) =>
    CLIENT_ROUTES.map((way) => ["group", kind, way] as const),
  ),
];

/** What an answer of `find_tool` shows: its structured part and its text are the same. */
function readFound(message: Readonly<Record<string, unknown>>): { readonly name: string }[] {
  const result = message.result as {
    readonly content: readonly { readonly text: string }[];
    readonly structuredContent: { readonly tools: { readonly name: string }[] };
  };
  expect(JSON.parse(result.content[0]?.text ?? "")).toEqual(result.structuredContent);
  return result.structuredContent.tools;
}

describe.each(AUDIENCES)("a %s on %s whose clients find tools, over %s", (audience, kind, way) => {
  let world: Audience;
  let client: RouteClient;
  beforeAll(async () => {
    world = await openAudience(audience, kind);
    client = await openClient(world.endpoint, way, {});
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });
  const find = async (query: string, limit?: number) =>
    (await client.request("tools/call", { name: "find_tool", arguments: { query, ...(limit && { limit }) } })).message;
  const call = async (name: string, args?: unknown) => {
    called = [];
    return (await client.request("tools/call", { name: "call_tool", arguments: { name, arguments: args } })).message;
  };

  test("lists two tools, and says that the first one reads only", async () => {
    const { message } = await client.request("tools/list");

    const { tools, nextCursor } = message.result as { tools: Record<string, unknown>[]; nextCursor?: string };
    expect(tools).toMatchObject([
      { name: "find_tool", inputSchema: { required: ["query"] }, annotations: { readOnlyHint: true } },
      { name: "call_tool", inputSchema: { required: ["name"] } },
    ]);
    expect(tools).toHaveLength(2);
    expect(nextCursor).toBeUndefined();
  });

  test("finds a tool by what it does, with what is needed to call it", async () => {
    expect(readFound(await find("what is the weather in my city"))[0]).toEqual({
      name: "forecast",
      description: "Tells the weather of a city",
      inputSchema: { type: "object", properties: { city: { type: "string" } }, maximum: 1 },
    });
  });

  test("shows as many as were asked for, also of a second page, and says when none fits", async () => {
    expect(readFound(await find("weather email hammer", 2))).toHaveLength(2);
    expect(readFound(await find("write an email"))[0]).toMatchObject({ name: "send_mail" });
    expect((await find("zzzz")).result).toMatchObject({ structuredContent: { tools: [], hint: expect.any(String) } });
  });

  test.each(["delete files", "weather for spies", "destroy", "secretWeather"])(
    "does not find what may not be seen: %s",
    async (query) => {
      const names = readFound(await find(query, 20)).map(({ name }) => name);

      for (const hidden of ["destroy", "secretWeather", "weather"]) expect(names).not.toContain(hidden);
    },
  );

  test("hands a call on as a call of the tool itself, and its answer as it is", async () => {
    const message = await call("forecast", { city: "Bern" });

    expect(message).toMatchObject({ result: { from: "weather", content: [] } });
    expect(message).toHaveProperty("result.structuredContent.n");
    expect(called).toEqual([["weather", { city: "Bern" }]]);
  });

  test.each(["destroy", "secretWeather", "weather", "forecasts", "call_tool"])(
    "says of %s that there is no such tool, and what to do",
    async (name) => {
      expect((await call(name)).result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^There is no tool .* Search with find_tool/) }],
      });
      expect(called).toEqual([]);
    },
  );

  test("names the tool that was meant", async () => {
    expect(JSON.stringify((await call("forcast")).result)).toContain('Did you mean \\"forecast\\"');
  });

  test("lets the server's own find_tool be found and called", async () => {
    expect(readFound(await find("hammer garage"))[0]).toMatchObject({ name: "find_tool" });

    expect(await call("find_tool", { query: "hammer" })).toMatchObject({ result: { from: "find_tool" } });
    expect(called).toEqual([["find_tool", { query: "hammer" }]]);
  });

  test("also takes calls by a tool's own name, under the same rules", async () => {
    called = [];
    const direct = async (name: string) => (await client.request("tools/call", { name, arguments: {} })).message;

    expect(await direct("forecast")).toMatchObject({ result: { from: "weather" } });
    for (const name of ["destroy", "weather", "secretWeather"]) expect(await direct(name)).toHaveProperty("error");
    expect(called).toEqual([["weather", {}]]);
  });

  test.each([
    ["find_tool", {}],
    ["find_tool", { query: " " }],
    ["find_tool", { query: "x".repeat(1_001) }],
    ["find_tool", { query: "weather", limit: 21 }],
    ["find_tool", { query: "weather", limit: 0 }],
    ["call_tool", {}],
    ["call_tool", { name: 1 }],
    ["call_tool", { name: "forecast", arguments: "city" }],
  ])("says what is wrong with %s %j", async (name, args) => {
    called = [];

    const { message } = await client.request("tools/call", { name, arguments: args });

    expect(message.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(name) }] });
    expect(called).toEqual([]);
  });

  test("shows all tools to whoever asks for all", async () => {
    const { message } = await client.request(
      "tools/list",
      way === "modern" ? {} : { _meta: { "dev.toolhive/allTools": true } },
    );

    const names = (message.result as { tools: { name: string }[] }).tools.map(({ name }) => name);
    expect(names).toEqual(way === "modern" ? ["find_tool", "call_tool"] : expect.arrayContaining(["forecast"]));
  });
});

describe.each(ROUTES)("finding that is switched, of a server on %s, over %s", (kind, way) => {
  test("changes what the same session lists", async () => {
    await using guarded = await openGuarded({ kind, needsToken: false, tools: ["weather"], onRequest: answerRequest });
    await using client = await openClient(guarded.endpoint, way, {});
    const list = async () => {
      const { message } = await client.request("tools/list");
      return (
        (message.result as { tools: { name: string }[] } | undefined)?.tools.map(({ name }) => name) ?? message.method
      );
    };
    expect(await list()).toEqual(["weather"]);

    guarded.endpoint.chooseTools({ tools: ["weather"], findTools: true });

    // On one stream with all answers, the news comes first.
    if (way === "sse") expect(await list()).toBe("notifications/tools/list_changed");
    else {
      expect(await list()).toEqual(["find_tool", "call_tool"]);
      guarded.endpoint.chooseTools({ tools: ["weather"] });
      expect(await list()).toEqual(["weather"]);
    }
  });
});

test("switching finding in a group notifies the same session that its list has changed", async () => {
  await using member = await openMember("beta", "stdio", answerRequest);
  const group = await openGroup([member]);
  await untilMember(group, "beta");
  const session = await openSession(group);
  await using events = await session.listen();

  group.chooseTools({ isFinding: true });

  expect(await events.nextMessage()).toMatchObject({ method: "notifications/tools/list_changed" });
  await group.close();
});

describe.each(ROUTES)("a call through call_tool of a server on %s, over %s", (kind, way) => {
  test("is seen by observers under the tool's own name, and so is a search", async () => {
    await using guarded = await openGuarded({
      kind,
      needsToken: false,
      access: { audit_config: { event_types: ["mcp_ping"] } },
      findTools: true,
      onRequest: answerRequest,
    });
    await using client = await openClient(guarded.endpoint, way, {});

    await client.request("tools/call", { name: "call_tool", arguments: { name: "weather" } });
    await client.request("tools/call", { name: "find_tool", arguments: { query: "weather" } });
    await client.request("tools/call", { name: "find_tool", arguments: {} });
    await client.request("tools/call", { name: "call_tool", arguments: { name: "wether" } });

    const calls = guarded.endpoint.recentCalls ?? [];
    const searches = calls.filter(({ target }) => target === "find_tool").map(({ outcome }) => outcome);
    expect(searches.toSorted()).toEqual(["error", "success"]);
    expect(calls.filter(({ target }) => target === "wether").map(({ outcome }) => outcome)).toEqual(["error"]);
    expect(calls.map(({ target }) => target)).toEqual(expect.arrayContaining(["weather", "find_tool"]));
    expect(calls.map(({ target }) => target)).not.toContain("call_tool");
  });
});

test.each(ROUTES)(
  "a search enters the gate of a server on %s once, over %s: its lists are no calls",
  async (kind, way) => {
    await using guarded = await openGuarded({ kind, needsToken: false, findTools: true, onRequest: answerRequest });
    await using client = await openClient(guarded.endpoint, way, {});
    let entered = 0;
    guarded.endpoint.guard({
      enter: () => {
        entered += 1;
        return undefined;
      },
    });

    const { message } = await client.request("tools/call", { name: "find_tool", arguments: { query: "weather" } });

    expect(readFound(message).map(({ name }) => name)).toContain("weather");
    expect(entered).toBe(1);
  },
);

test("reads the server's list for each search, so that what it shows is not old", async () => {
  let tools = [tool("weather", "Tells the weather of a city")];
  const onRequest = (method: string) => (method === "tools/list" ? JSON.stringify({ tools }) : "{}");
  await using guarded = await openGuarded({ needsToken: false, findTools: true, onRequest });
  await using client = await openClient(guarded.endpoint, "session", {});
  const find = async () => {
    const params = { name: "find_tool", arguments: { query: "the weather of a city" } };
    return readFound((await client.request("tools/call", params)).message).map(({ name }) => name);
  };
  expect(await find()).toEqual(["weather"]);

  // The server says nothing of that it has changed.
  tools = [tool("forecast", "Tells the weather of a city")];

  expect(await find()).toEqual(["forecast"]);
});

test("a policy judges the arguments of the tool itself", async () => {
  const policy = 'permit(principal, action, resource) unless { context has arg_city && context.arg_city == "Bern" };';
  const access = { authz_config: { version: "1.0", type: "cedarv1" as const, cedar: { policies: [policy] } } };
  await using guarded = await openGuarded({ needsToken: false, access, findTools: true, onRequest: answerRequest });
  await using client = await openClient(guarded.endpoint, "session", {});
  const call = async (city: string) =>
    (await client.request("tools/call", { name: "call_tool", arguments: { name: "weather", arguments: { city } } }))
      .message;

  expect(await call("Bern")).toMatchObject({ error: { message: expect.stringContaining("weather") } });
  expect(await call("Basel")).toMatchObject({ result: { from: "weather" } });
});

test("progress of a call through call_tool comes with the client's own token", async () => {
  const pair: Pair = await openPair(
    {
      onRequest: ({ method = "", params }) => {
        const { progressToken } = isRecord(params._meta) ? params._meta : {};
        if (method === "tools/call") pair.server.notify("notifications/progress", { progressToken, progress: 1 });
        return answerRequest(method, params);
      },
    },
    { findTools: true },
  );
  const session = await openSession(pair.endpoint);
  const params = { name: "call_tool", arguments: { name: "weather" }, _meta: { progressToken: "mine" } };

  const response = await session.post(JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params }));

  const events = new EventReader(response);
  expect(await events.nextMessage()).toMatchObject({ params: { progressToken: "mine" } });
  expect(await events.nextMessage()).toMatchObject({ id: 7, result: { from: "weather" } });
  await pair.endpoint.close();
});
