/** What clients see and call of pinned tools, on every way to every kind of server. */
import { MemoryPinStore, ToolPins } from "@toolhive/core/testing";
import { describe, expect, test } from "vitest";
import { SILENT_LOG } from "../options/log.ts";
import { type CLIENT_ROUTES, openClient, ROUTES, type RouteClient } from "../testing/client-routes.ts";
import { type GuardedOptions, openGuarded, type ServerKind } from "../testing/open-guarded.ts";

const SAME = '{"name":"same","description":"As ever","inputSchema":{"maximum":18446744073709551615},"_meta":{"a":1}}';
const AT_FIRST = `[${SAME},{"name":"changed","description":"Before"},{"name":"removed"}]`;
const LATER = `[${SAME},{"name":"changed","description":"After"},{"name":"new"}]`;

type Selection = Pick<GuardedOptions, "tools" | "toolOverrides">;

/** A server behind an endpoint with pins, and a client that has listed its tools. */
async function openPinned(kind: ServerKind, way: (typeof CLIENT_ROUTES)[number], selection: Selection = {}) {
  const server = { tools: AT_FIRST, called: [] as unknown[] };
  const guarded = await openGuarded({
    kind,
    needsToken: false,
    ...selection,
    onRequest: (method, params) => {
      if (method === "tools/call") server.called.push(params.name);
      return method === "tools/list" ? `{"tools":${server.tools}}` : '{"content":["DONE"]}';
    },
  });
  const pins = new ToolPins({ name: "echo", store: new MemoryPinStore(new Map()), log: SILENT_LOG });
  await pins.load();
  guarded.endpoint.pinTools(pins);
  const client = await openClient(guarded.endpoint, way, {});
  const close = async () => {
    await client[Symbol.asyncDispose]();
    await guarded[Symbol.asyncDispose]();
  };
  const list = async () => (await client.request("tools/list")).message;
  return { server, pins, client, list, endpoint: guarded.endpoint, [Symbol.asyncDispose]: close };
}

const call = async (client: RouteClient, name: string) =>
  (await client.request("tools/call", { name, arguments: {} })).message;

describe.each(ROUTES)("pinned tools of a server on %s, over %s", (kind, way) => {
  test("are recorded with the first list, which passes as it is", async () => {
    await using pinned = await openPinned(kind, way);

    expect(await call(pinned.client, "anything")).toHaveProperty("result");
    expect(await pinned.list()).toMatchObject({ result: { tools: JSON.parse(AT_FIRST) } });
    expect(pinned.pins.describe()).toMatchObject({
      tools: [{ name: "changed" }, { name: "removed" }, { name: "same" }],
      differences: [],
    });
  });

  // What clients see of each tool, and whether the server hears a call of it.
  test.each([
    ["same", { description: "As ever", _meta: { a: 1 } }, "reaches"],
    ["changed", { description: "Before" }, "has changed since it was pinned"],
    ["new", undefined, "is not among the pinned tools"],
    // The server itself says that it has none.
    ["removed", undefined, "reaches"],
    ["changed\u200b", undefined, "is not among the pinned tools"],
    ["Changed", undefined, "is not among the pinned tools"],
  ])("that the server has later: %j is seen as %j, and a call of it: %s", async (name, seen, outcome) => {
    await using pinned = await openPinned(kind, way);
    await pinned.list();
    pinned.server.tools = LATER;

    const listed = await pinned.list();

    expect(listed).toMatchObject({ result: { tools: [{ name: "same" }, { name: "changed" }] } });
    const { tools } = listed.result as { tools: { name: string }[] };
    expect(tools.find((tool) => tool.name === name)).toEqual(seen && expect.objectContaining({ name, ...seen }));
    const answer = await call(pinned.client, name);
    expect(pinned.server.called).toEqual(outcome === "reaches" ? [name] : []);
    if (outcome === "reaches") expect(answer).toHaveProperty("result");
    else
      expect(answer).toMatchObject({
        error: { message: expect.stringMatching(new RegExp(`${outcome}.*thv tools accept echo`)) },
      });
  });

  test("are the server's again when the changes are accepted, and without pins", async () => {
    await using pinned = await openPinned(kind, way);
    await pinned.list();
    pinned.server.tools = LATER;
    await pinned.list();
    await pinned.pins.accept();

    expect(await pinned.list()).toMatchObject({ result: { tools: JSON.parse(LATER) } });
    for (const name of ["same", "changed", "new"]) expect(await call(pinned.client, name)).toHaveProperty("result");
  });

  test("are pinned by their own names, whatever clients call them", async () => {
    const toolOverrides = { changed: { name: "alarm", description: "Rings" }, new: { name: "same2" } };
    await using pinned = await openPinned(kind, way, { tools: ["same", "alarm", "same2"], toolOverrides });
    expect(await pinned.list()).toMatchObject({ result: { tools: [{ name: "same" }, { name: "alarm" }] } });
    pinned.server.tools = LATER;

    expect(await pinned.list()).toMatchObject({
      result: { tools: [{ name: "same" }, { name: "alarm", description: "Rings" }] },
    });
    expect(await call(pinned.client, "same")).toHaveProperty("result");
    for (const name of ["alarm", "changed", "same2", "new"])
      expect(await call(pinned.client, name)).toHaveProperty("error");
    expect(pinned.server.called).toEqual(["same"]);
  });

  test("are not passed by definitions that two readers read differently, or lists that cannot be read", async () => {
    await using pinned = await openPinned(kind, way);
    await pinned.list();
    for (const tool of [
      '{"name":"changed","description":"Before","description":"After"}',
      '{"name":"changed","description":"Before","Description":"After"}',
      '{"name":"changed","description":"Before","input_schema":{}}',
    ]) {
      pinned.server.tools = `[${tool}]`;
      expect(await pinned.list()).toMatchObject({
        result: { tools: [{ name: "changed", description: "Before" }] },
      });
      expect(await call(pinned.client, "changed")).toHaveProperty("error");
    }
    pinned.server.tools = '[{"name":"changed","name":"same"}]';
    expect(await pinned.list()).toMatchObject({ result: { tools: [] } });
    pinned.server.tools = `[],"tools":${LATER}`;
    expect(await pinned.list()).toHaveProperty("error");
  });
});

describe.each(ROUTES)("pins that begin while clients are there, of a server on %s, over %s", (kind, way) => {
  test("hold from the next list on, for the same session", async () => {
    await using guarded = await openGuarded({
      kind,
      needsToken: false,
      onRequest: (method) => (method === "tools/list" ? `{"tools":${AT_FIRST}}` : '{"content":["DONE"]}'),
    });
    const { endpoint } = guarded;
    await using first = await openClient(endpoint, way, {});
    expect((await first.request("tools/list")).message).toHaveProperty("result");
    const pins = new ToolPins({ name: "echo", store: new MemoryPinStore(new Map()), log: SILENT_LOG });
    await pins.load();

    endpoint.pinTools(pins);

    // A session of a server that speaks SSE itself is its stream, which was begun unread: its client opens another.
    await using again = kind === "sse" ? await openClient(endpoint, way, {}) : undefined;
    const client = again ?? first;
    // On one stream with all answers, the news comes first.
    if (way === "sse" && kind === "stdio")
      expect((await client.request("ping")).message).toMatchObject({ method: "notifications/tools/list_changed" });
    else {
      expect((await client.request("tools/list")).message).toHaveProperty("result.tools.2");
      expect(pins.describe().tools).toHaveLength(3);
      expect(await call(client, "other")).toHaveProperty("error");
    }
  });
});
