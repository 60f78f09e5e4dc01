/** One bad server of a group: what clients receive of it, and that the others go on. */
import { createServer } from "node:net";
import type { GroupEndpoint } from "@toolhive/core";
import { waitFor } from "@toolhive/testing/wait-for";
import { expect, test } from "vitest";
import { openGroup, openStdioMember, type TestMember, untilMember } from "../testing/open-group.ts";
import { openSession, type RawSession } from "../testing/raw-client.ts";
import type { GroupOptions } from "./group-endpoint.ts";

const UNAVAILABLE = "dev.toolhive/unavailable";
const LIMITS = { openMs: 200, slowMs: 50, firstListMs: 50, firstPauseMs: 10, maxPauseMs: 20, sweepMs: 10 };

interface Answer {
  readonly result?: { readonly tools: { readonly name: string }[]; readonly _meta?: Record<string, unknown> };
  readonly error?: { readonly code: number; readonly message: string };
}

async function ask(session: RawSession, method: string, params: object = {}): Promise<Answer> {
  return (await (await session.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))).json()) as Answer;
}

async function openServer(name: string, tools: readonly string[]): Promise<TestMember> {
  const list = JSON.stringify({ tools: tools.map((tool) => ({ name: tool })) });
  return await openStdioMember(name, {
    onRequest: ({ method }) => (method === "tools/list" ? list : `{"content":["${name}"]}`),
  });
}

/** A port on which nothing answers, however long one waits. */
async function openSilent(name: string): Promise<TestMember> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => sockets.add(socket.on("error", () => undefined)));
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    }),
  );
  return {
    member: { name, url: `http://127.0.0.1:${port}/mcp`, isRunning: true, run: "1" },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function openWith(members: readonly TestMember[], options: Partial<GroupOptions> = {}): Promise<GroupEndpoint> {
  return await openGroup(members, { limits: LIMITS, ...options });
}

const names = ({ result }: Answer) => result?.tools.map(({ name }) => name);

test("a server that does not answer is named in the lists, and the others are listed and called", async () => {
  await using well = await openServer("well", ["a"]);
  await using silent = await openSilent("silent");
  await using group = await openWith([well, silent]);
  await untilMember(group, "well");
  await untilMember(group, "silent", "unavailable");
  const session = await openSession(group);

  const listed = await ask(session, "tools/list");

  expect(names(listed)).toEqual(["a"]);
  expect(listed.result?._meta?.[UNAVAILABLE]).toEqual([
    { server: "silent", state: "unavailable", reason: expect.stringMatching(/has not/) },
  ]);
  expect(await ask(session, "tools/call", { name: "a" })).toMatchObject({ result: { content: ["well"] } });
});

test("without trouble the lists say nothing of it", async () => {
  await using well = await openServer("well", ["a"]);
  await using group = await openWith([well]);
  await untilMember(group, "well");

  expect((await ask(await openSession(group), "tools/list")).result).not.toHaveProperty("_meta");
});

test("a server that comes late joins lists, and open sessions are notified", async () => {
  await using well = await openServer("well", ["a"]);
  await using late = await openServer("late", ["b"]);
  await using group = await openWith([well]);
  await untilMember(group, "well");
  const session = await openSession(group);
  await using stream = await session.listen();
  expect(names(await ask(session, "tools/list"))).toEqual(["a"]);

  group.update([well.member, late.member]);

  expect(await stream.nextMessage()).toMatchObject({ method: "notifications/tools/list_changed" });
  expect(names(await ask(session, "tools/list"))).toEqual(["b", "a"]);
});

test("a server's own word that its list has changed reaches every session", async () => {
  const tools = ["a"];
  await using member = await openStdioMember("one", {
    onRequest: ({ method }) =>
      method === "tools/list" ? JSON.stringify({ tools: tools.map((name) => ({ name })) }) : "{}",
  });
  await using group = await openWith([member]);
  await untilMember(group, "one");
  const session = await openSession(group);
  await using stream = await session.listen();

  tools.push("b");
  member.pair.server.notify("notifications/tools/list_changed");

  expect(await stream.nextMessage()).toMatchObject({ method: "notifications/tools/list_changed" });
  expect(names(await ask(session, "tools/list"))).toEqual(["a", "b"]);
});

test("what is known of a server is listed before it answers, under the names of all that are known", async () => {
  await using well = await openServer("well", ["a", "same"]);
  await using silent = await openSilent("silent");
  await using group = await openWith([well, silent], { known: { silent: { tools: ['{"name":"same"}'] } } });
  await untilMember(group, "well");

  expect(names(await ask(await openSession(group), "tools/list"))).toEqual(["silent__same", "a", "well__same"]);
});

test("the server's offers are kept, which is logged once", async () => {
  const known: [string, unknown][] = [];
  await using well = await openServer("well", ["a"]);
  await using group = await openWith([well], { onKnown: (...facts) => known.push(facts) });
  await untilMember(group, "well");

  group.update([{ ...well.member, run: "2" }]);
  await untilMember(group, "well");

  expect(known).toEqual([["well", { tools: ['{"name":"a"}'], prompts: [], resources: [], templates: [] }]]);
});

test("one that is stopped is not listed, and counts for names all the same", async () => {
  await using one = await openServer("one", ["same"]);
  await using two = await openServer("two", ["same"]);
  await using group = await openWith([one, two]);
  for (const name of ["one", "two"]) await untilMember(group, name);
  const session = await openSession(group);

  group.update([one.member, { ...two.member, isRunning: false, reason: "it was stopped" }]);
  const listed = await ask(session, "tools/list");

  expect(names(listed)).toEqual(["one__same"]);
  expect(listed.result?._meta?.[UNAVAILABLE]).toEqual([{ server: "two", state: "stopped", reason: "it was stopped" }]);
  expect((await ask(session, "tools/call", { name: "two__same" })).error?.message).toContain("it was stopped");
});

test("a server that fails is not asked for a while, and comes back by itself", async () => {
  const well = await openServer("well", ["a"]);
  await using group = await openWith([well]);
  await untilMember(group, "well");
  const session = await openSession(group);
  const { port } = new URL(well.member.url);

  await well[Symbol.asyncDispose]();
  await waitFor(async () => (await ask(session, "tools/call", { name: "a" })).error, { what: "a failure" });
  await untilMember(group, "well", "unavailable");
  await using again = await openStdioMember(
    "well",
    { onRequest: ({ method }) => (method === "tools/list" ? '{"tools":[{"name":"a"}]}' : '{"content":["again"]}') },
    { port: Number(port) },
  );

  const answered = async () => (await ask(session, "tools/call", { name: "a" })).result;
  expect(await waitFor(answered, { what: "an answer of the server that is back" })).toMatchObject({
    content: ["again"],
  });
  expect(again.member.name).toBe("well");
});

test("calls that a server never answers end at their deadline, and do not take the places of others", async () => {
  await using stuck = await openStdioMember("stuck", {
    onRequest: ({ method }) => (method === "tools/list" ? '{"tools":[{"name":"hang"}]}' : undefined),
    capabilities: '{"tools":{}}',
  });
  await using well = await openServer("well", ["a"]);
  await using group = await openWith([stuck, well], { limits: { ...LIMITS, callMs: 2_000, maxServerCalls: 2 } });
  for (const name of ["stuck", "well"]) await untilMember(group, name);
  const session = await openSession(group);

  const call = (id: number) =>
    session.post(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "hang" } }));
  const waiting = [call(10), call(11)];
  await stuck.pair.server.receive("tools/call", 2);
  expect((await ask(session, "tools/call", { name: "hang" })).error?.message).toContain("Too many requests");
  expect(await ask(session, "tools/call", { name: "a" })).toMatchObject({ result: { content: ["well"] } });

  for (const response of await Promise.all(waiting))
    expect(await response.json()).toMatchObject({ error: { code: -32001 } });
  expect(await stuck.pair.server.receive("notifications/cancelled", 2)).toBeDefined();
});

test.each([
  ["always", ["one__own", "one__same", "two__same"]],
  ["never", ["own", "same"]],
] as const)("names with %s", async (naming, expected) => {
  await using one = await openServer("one", ["own", "same"]);
  await using two = await openServer("two", ["same"]);
  await using group = await openWith([two, one], { naming });
  for (const name of ["one", "two"]) await untilMember(group, name);

  const listed = await ask(await openSession(group), "tools/list");

  expect(names(listed)).toEqual(expected);
  expect(listed.result?._meta?.["dev.toolhive/hidden"]).toEqual(
    naming === "never" ? [{ server: "two", list: "tools", name: "same", hiddenBy: "one" }] : undefined,
  );
});

test.each([
  ["tools/call", '{"name":"one__a","name":"one__a"}', "name"],
  ["tools/call", '{"name":"one__a","arguments":{},"name":"two__a"}', "name"],
  ["tools/call", '{"name":"x","n\\u0061me":"one__a"}', "name"],
  ["prompts/get", '{"name":"one__p","name":"one__p"}', "name"],
  ["resources/read", '{"uri":"mcp-group://one/x","uri":"mcp-group://one/x"}', "uri"],
])(
  "a request with a name twice (%s %s) is refused before a server receives it, also without rules",
  async (method, params, member) => {
    await using one = await openServer("one", ["a"]);
    await using two = await openServer("two", ["a"]);
    await using group = await openWith([one, two]);
    await untilMember(group, "one");
    await untilMember(group, "two");
    const session = await openSession(group);

    const answer = await session.post(`{"jsonrpc":"2.0","id":7,"method":"${method}","params":${params}}`);
    const { id, error } = (await answer.json()) as { id: unknown; error: { code: number; message: string } };

    expect(error.message).not.toContain("The endpoint failed");
    if (error.code === -32600)
      expect([answer.status, id, error.message]).toEqual([400, 7, `The member "${member}" is there twice.`]);
    // Without such a prompt or resource, there is nothing to be replaced.
    else expect([method === "tools/call", error.code]).toEqual([false, expect.any(Number)]);
  },
);
