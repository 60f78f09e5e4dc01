/** What is not chosen for a group can be neither seen nor called, on every way to it, as with one server. */

import type { GroupEndpoint, GroupTools } from "@toolhive/core";
import { waitFor } from "@toolhive/testing/wait-for";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { META } from "../messages/meta-keys.ts";
import { CLIENT_ROUTES, openClient, ROUTES, type RouteClient } from "../testing/client-routes.ts";
import { openGroup, openMember, openStdioMember, type TestMember, untilMember } from "../testing/open-group.ts";
import { openGuarded } from "../testing/open-guarded.ts";
import { EventReader, type Listening, openSession, post } from "../testing/raw-client.ts";

/** Names of tools that reached a server, with the server's before. */
let called: string[] = [];

function answerAs(server: string, tools: readonly string[]) {
  return (method: string, params: Readonly<Record<string, unknown>>): string | undefined => {
    if (method === "tools/list") return JSON.stringify({ tools: tools.map((name) => ({ name, description: "own" })) });
    if (method !== "tools/call") return "{}";
    called.push(`${server}/${String(params.name)}`);
    return '{"content":[]}';
  };
}

/** One audience of each kind, for whom the same two tools were chosen, one under another name. */
const AUDIENCES = [
  ...ROUTES.map(([kind, way]) => ["server", kind, way] as const),
  ...ROUTES.map(([kind, way]) => ["group", kind, way] as const),
];

const SEEN = ["forecast", "clock"];

/** Spellings of a name, and the tool that is called by it, if any. `beta` has all of them. */
const TRUTH = [
  ["forecast", "beta/weather"],
  ["clock", "beta/clock"],
  ["weather", undefined],
  ["destroy", undefined],
  ["search", undefined],
  ["Forecast", undefined],
  ["forecast ", undefined],
  ["forecast\u200b", undefined],
  ["dest\u0072oy\u0000", undefined],
  ["", undefined],
] as const;

/** Spellings that only a group could understand. */
const GROUP_TRUTH = [
  ["beta__clock", "beta/clock"],
  ["beta__weather", undefined],
  ["beta__destroy", undefined],
  ["alpha__search", undefined],
  ["alpha__clock", undefined],
  ["beta/clock", undefined],
] as const;

const CHOSEN: GroupTools = {
  tools: [
    { server: "beta", name: "weather" },
    { server: "beta", name: "clock" },
  ],
  overrides: [{ server: "beta", name: "weather", override: { name: "forecast", description: "Ours" } }],
};

interface Audience extends AsyncDisposable {
  readonly endpoint: Listening;
}

async function openAudience(audience: "server" | "group", kind: (typeof ROUTES)[number][0]): Promise<Audience> {
  const tools = ["weather", "destroy", "search", "clock"];
  if (audience === "server") {
    return await openGuarded({
      kind,
      needsToken: false,
      tools: SEEN,
      toolOverrides: { weather: { name: "forecast", description: "Ours" } },
      onRequest: answerAs("beta", tools),
    });
  }
  const members = [
    await openMember("beta", kind, answerAs("beta", tools)),
    await openMember("alpha", kind, answerAs("alpha", ["search"])),
  ];
  return await openAll(members, CHOSEN);
}

async function openAll(
  members: readonly TestMember[],
  choice: GroupTools,
  options: Parameters<typeof openGroup>[1] = {},
): Promise<AsyncDisposable & { readonly endpoint: GroupEndpoint }> {
  const endpoint = await openGroup(members, { choice, ...options });
  for (const { member } of members) await untilMember(endpoint, member.name);
  return {
    endpoint,
    [Symbol.asyncDispose]: async () => {
      await endpoint.close();
      for (const member of members) await member[Symbol.asyncDispose]();
    },
  };
}

async function listNames(client: RouteClient): Promise<string[]> {
  const { message } = await client.request("tools/list");
  return (message.result as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

describe.each(AUDIENCES)("tools that were chosen for a %s on %s, over %s", (audience, kind, way) => {
  let opened: Audience;
  let client: RouteClient;
  beforeAll(async () => {
    opened = await openAudience(audience, kind);
    client = await openClient(opened.endpoint, way, {});
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await opened[Symbol.asyncDispose]();
  });

  test("are the only ones that are seen", async () => {
    const { message } = await client.request("tools/list");

    expect(message).toMatchObject({
      result: {
        tools: [
          { name: "forecast", description: "Ours" },
          { name: "clock", description: "own" },
        ],
      },
    });
    expect(await listNames(client)).toEqual(SEEN);
  });

  test.each(audience === "group" ? [...TRUTH, ...GROUP_TRUTH] : TRUTH)("by %j is called: %s", async (name, tool) => {
    called = [];
    const { message } = await client.request("tools/call", { name, arguments: {} });

    expect(called).toEqual(tool === undefined ? [] : [tool]);
    expect(message).toHaveProperty(tool === undefined ? "error" : "result");
  });

  test.each([
    ["two names", '{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"clock","name":"destroy"}}'],
    ["two names, turned", '{"jsonrpc":"2.0","id":72,"method":"tools/call","params":{"name":"destroy","name":"clock"}}'],
    ["another Name", '{"jsonrpc":"2.0","id":73,"method":"tools/call","params":{"name":"clock","Name":"destroy"}}'],
    ["an escape", '{"jsonrpc":"2.0","id":74,"method":"tools/call","params":{"name":"\\u0064estroy"}}'],
    ["no name", '{"jsonrpc":"2.0","id":75,"method":"tools/call","params":{}}'],
    ["a notification", '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"destroy"}}'],
    ["a batch", '[{"jsonrpc":"2.0","id":76,"method":"tools/call","params":{"name":"destroy"}}]'],
  ])("are not gone round by %s", async (_what, text) => {
    // Of its own, because what is refused here may be answered on the stream of a session.
    await using other = await openClient(opened.endpoint, way, {});
    called = [];
    await (await other.send(text)).body?.cancel();

    // Whatever was accepted before it has reached the server by then.
    await client.request("tools/call", { name: "clock", arguments: {} });
    expect(called.filter((tool) => tool !== "beta/clock")).toEqual([]);
  });

  test("are not gone round by a batch of the revision that has them", async () => {
    if (way !== "session") return;
    const session = await openSession(opened.endpoint, { revision: "2025-03-26" });
    called = [];
    const call = (id: number, name: string) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name } });

    const response = await session.post(
      JSON.stringify(["destroy", "clock", "alpha__search"].map((name, id) => call(id, name))),
    );

    expect(await response.text()).not.toBe("");
    expect(called.filter((tool) => tool !== "beta/clock")).toEqual([]);
  });
});

describe.each(CLIENT_ROUTES)("an edit of a group's choice, over %s", (way) => {
  test("is in force at once, for the same session", async () => {
    await using alpha = await openMember("alpha", "stdio", answerAs("alpha", ["search", "clock"]));
    await using opened = await openAll([alpha], {});
    const { endpoint } = opened;
    await using client = await openClient(endpoint, way, {});
    expect(await listNames(client)).toEqual(["search", "clock"]);
    const before = endpoint.counts.sessions;

    endpoint.chooseTools({ tools: [{ server: "alpha", name: "clock" }] });

    if (way === "sse") {
      // On one stream with all answers, the news comes first.
      expect((await client.request("ping")).message).toMatchObject({ method: "notifications/tools/list_changed" });
      expect((await client.request("tools/list")).message).toHaveProperty("result");
      expect((await client.request("tools/list")).message).toMatchObject({ result: { tools: [{ name: "clock" }] } });
      expect(endpoint.counts.sessions).toBe(before);
      return;
    }
    expect(await listNames(client)).toEqual(["clock"]);
    expect((await client.request("tools/call", { name: "search" })).message).toHaveProperty("error");
    expect((await client.request("tools/call", { name: "clock" })).message).toHaveProperty("result");
    endpoint.chooseTools({});
    expect(await listNames(client)).toEqual(["search", "clock"]);
    expect(endpoint.counts.sessions).toBe(before);
    expect(endpoint.members).toMatchObject([{ name: "alpha", state: "ready", tools: 2 }]);
  });
});

test.each(["session", "modern"])("clients that listen (%s) receive one notification of an edit", async (era) => {
  await using alpha = await openMember("alpha", "stdio", answerAs("alpha", ["search", "clock"]));
  await using gamma = await openMember("gamma", "stdio", (method) =>
    method === "prompts/list" ? '{"prompts":[{"name":"greet"}]}' : "{}",
  );
  await using opened = await openAll([alpha], {});
  const { endpoint } = opened;
  await using stream = era === "session" ? await (await openSession(endpoint)).listen() : await listenModern(endpoint);

  endpoint.chooseTools({ tools: [{ server: "alpha", name: "clock" }] });
  expect(await stream.nextMessage()).toMatchObject({ method: "notifications/tools/list_changed" });
  // The same tool by another name is no news.
  endpoint.chooseTools({ tools: [{ name: "alpha__clock" }] });
  endpoint.update([alpha.member, gamma.member]);

  expect(await stream.nextMessage()).toMatchObject({ method: "notifications/prompts/list_changed" });
});

test("a list that waits for a server is filtered by what is chosen when it is answered", async () => {
  await using alpha = await openStdioMember("alpha", {
    onRequest: ({ method }) => (method === "tools/list" ? undefined : "{}"),
  });
  await using beta = await openMember("beta", "stdio", answerAs("beta", ["search", "clock"]));
  await using group = await openGroup([alpha, beta], { limits: { firstListMs: 600_000 } });
  await untilMember(group, "beta");
  await using client = await openClient(group, "session", {});
  const asked = await alpha.pair.server.receive("tools/list");

  const listed = listNames(client);
  await client.request("ping");
  group.chooseTools({ tools: [{ server: "beta", name: "clock" }] });
  alpha.pair.server.answer(asked, '{"tools":[{"name":"other"}]}');

  expect(await listed).toEqual(["clock"]);
});

test("a server that joins a group with a choice shows nothing there, not even in _meta", async () => {
  await using beta = await openMember("beta", "stdio", answerAs("beta", ["search", "clock"]));
  await using alpha = await openMember("alpha", "stdio", answerAs("alpha", ["search", "beta__search", "other"]));
  for (const naming of ["auto", "always", "never"] as const) {
    await using group = await openGroup([beta], { naming, choice: { tools: [{ server: "beta", name: "search" }] } });
    await untilMember(group, "beta");
    await using client = await openClient(group, "session", {});
    expect(await listNames(client)).toEqual([naming === "always" ? "beta__search" : "search"]);

    group.update([beta.member, alpha.member]);
    await untilMember(group, "alpha");

    // With `never`, the name is the first server's, who was not chosen: then nobody's.
    expect(await listNames(client)).toEqual(naming === "never" ? [] : ["beta__search"]);
    const { message } = await client.request("tools/list");
    expect(JSON.stringify(message)).not.toContain("other");
    called = [];
    for (const name of ["other", "alpha__search", "alpha__other", "alpha__beta__search", "search", "beta__search"])
      await client.request("tools/call", { name });
    expect(called.filter((tool) => tool !== "beta/search")).toEqual([]);
    expect(group.members).toMatchObject([
      { name: "alpha", tools: 0 },
      { name: "beta", tools: naming === "never" ? 0 : 1 },
    ]);
  }
});

test.each([
  ["search", true],
  ["clock", false],
])("a hidden tool is named in _meta when it was chosen, and not else: %s chosen", async (chosen, isNamed) => {
  await using beta = await openMember("beta", "stdio", answerAs("beta", ["search", "clock"]));
  await using alpha = await openMember("alpha", "stdio", answerAs("alpha", ["search"]));
  const tools = [{ server: "beta", name: chosen }];
  await using opened = await openAll([alpha, beta], { tools }, { naming: "never" });
  await using client = await openClient(opened.endpoint, "session", {});

  const { message } = await client.request("tools/list");

  expect(JSON.stringify(message).includes('"hiddenBy":"alpha"')).toBe(isNamed);
});

test("a tool may have a name that reads like the full one of another", async () => {
  await using beta = await openMember("beta", "stdio", answerAs("beta", ["search", "clock"]));
  const overrides = [{ server: "beta", name: "search", override: { name: "beta__clock" } }];
  await using opened = await openAll([beta], { overrides });
  await using client = await openClient(opened.endpoint, "session", {});
  called = [];

  expect(await listNames(client)).toEqual(["beta__clock", "clock"]);
  for (const name of ["beta__clock", "clock"]) await client.request("tools/call", { name });

  expect(called).toEqual(["beta/search", "beta/clock"]);
});

test("a tool of a group with more tools than policies are asked about can be chosen", async () => {
  const names = Array.from({ length: 1_500 }, (_, index) => `tool-${index}`);
  await using beta = await openMember("beta", "stdio", answerAs("beta", names));
  await using opened = await openAll([beta], { tools: [{ server: "beta", name: "tool-1400" }] });
  await using client = await openClient(opened.endpoint, "session", {});

  await waitFor(() => opened.endpoint.members[0]?.tools === 1, { what: "the one tool" });
  expect(await listNames(client)).toEqual(["tool-1400"]);
  opened.endpoint.chooseTools({
    overrides: [{ server: "beta", name: "tool-1400", override: { description: "Mine" } }],
  });
  expect(await listNames(client)).toHaveLength(1_500);
});

/** A stream of the protocol without sessions that waits for news of tools. */
async function listenModern(endpoint: Listening): Promise<EventReader> {
  const _meta = { [META.revision]: "2026-07-28", [META.capabilities]: {} };
  const params = { notifications: { toolsListChanged: true, promptsListChanged: true }, _meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params });
  const abort = new AbortController();
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
  const stream = new EventReader(await post(endpoint, body, headers, abort.signal), abort);
  expect(await stream.nextMessage()).toHaveProperty("method", "notifications/subscriptions/acknowledged");
  return stream;
}
