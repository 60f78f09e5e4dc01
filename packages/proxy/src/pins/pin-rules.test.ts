/** What clients see and call of pinned tools, on every way to every kind of server. */
import { MemoryPinStore, type PinSettings, ToolPins } from "@toolhive/core/testing";
import { describe, expect, test } from "vitest";
import { SILENT_LOG } from "../options/log.ts";
import { type CLIENT_ROUTES, openClient, ROUTES, type RouteClient } from "../testing/client-routes.ts";
import { type GuardedOptions, openGuarded, type ServerKind } from "../testing/open-guarded.ts";

const SAME = '{"name":"same","description":"As ever","inputSchema":{"maximum":18446744073709551615},"_meta":{"a":1}}';
const AT_FIRST = `[${SAME},{"name":"changed","description":"Before"},{"name":"removed"}]`;
const LATER = `[${SAME},{"name":"changed","description":"After"},{"name":"new"}]`;

/** Where a server is: the ways to one that runs elsewhere are those of streamable HTTP. */
type Place = ServerKind | "remote";
const PLACES: readonly (readonly [Place, (typeof CLIENT_ROUTES)[number]])[] = [
  ...ROUTES,
  ["remote", "session"],
  ["remote", "modern"],
];
const ALL: PinSettings = { mode: "all", changedTools: "refuse" };

async function loadPins(settings: PinSettings) {
  const store = new MemoryPinStore(new Map());
  const pins = new ToolPins({ name: "echo", store, log: SILENT_LOG, settings });
  await pins.load();
  return pins;
}

type Selection = Pick<GuardedOptions, "tools" | "toolOverrides" | "findTools">;

/** A server behind an endpoint with pins, and a client that has listed its tools. */
async function openPinned(
  kind: Place,
  way: (typeof CLIENT_ROUTES)[number],
  selection: Selection = {},
  settings: PinSettings = ALL,
) {
  const server = { tools: AT_FIRST, called: [] as unknown[] };
  const guarded = await openGuarded({
    ...(kind === "remote" ? { kind: "streamable-http", isRemote: true } : { kind }),
    needsToken: false,
    ...selection,
    onRequest: (method, params) => {
      if (method === "tools/call") server.called.push(params.name);
      return method === "tools/list" ? `{"tools":${server.tools}}` : '{"content":["DONE"]}';
    },
  });
  const pins = await loadPins(settings);
  guarded.endpoint.pinTools(pins);
  const client = await openClient(guarded.endpoint, way, {});
  const close = async () => {
    await client[Symbol.asyncDispose]();
    await guarded[Symbol.asyncDispose]();
  };
  const list = async () => (await client.request("tools/list")).message;
  return { server, pins, client, list, endpoint: guarded.endpoint, [Symbol.asyncDispose]: close };
}

const call = async (client: RouteClient, name: string, args: Readonly<Record<string, unknown>> = {}) =>
  (await client.request("tools/call", { name, arguments: args })).message;

describe.each(PLACES)("pinned tools of a server on %s, over %s", (kind, way) => {
  test("are recorded with the first list, which passes as it is", async () => {
    await using pinned = await openPinned(kind, way);

    expect(await call(pinned.client, "anything")).toHaveProperty("result");
    expect(await pinned.list()).toMatchObject({ result: { tools: JSON.parse(AT_FIRST) } });
    expect(pinned.pins.describe()).toMatchObject({
      tools: [{ name: "changed" }, { name: "removed" }, { name: "same" }],
      differences: [],
    });
  });

  // What clients see of each tool, and whether a call of it reaches the server.
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

  test("hold where clients find tools: the recorded definition is found, and call_tool is refused", async () => {
    await using pinned = await openPinned(kind, way, { findTools: true });
    const find = async () => {
      const { result } = await call(pinned.client, "find_tool", { query: "changed before after new" });
      return (result as { structuredContent: { tools: { name: string }[] } }).structuredContent.tools;
    };
    await find();
    pinned.server.tools = LATER;

    expect(await find()).toContainEqual(expect.objectContaining({ name: "changed", description: "Before" }));
    expect((await find()).map(({ name }) => name)).not.toContain("new");
    expect(await call(pinned.client, "call_tool", { name: "changed", arguments: {} })).toMatchObject({
      error: { message: expect.stringMatching(/thv tools accept echo/) },
    });
    expect(await call(pinned.client, "call_tool", { name: "new", arguments: {} })).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('no tool "new"') }] },
    });
    expect(await call(pinned.client, "call_tool", { name: "same", arguments: {} })).toHaveProperty("result");
    expect(pinned.server.called).toEqual(["same"]);
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

interface Seen {
  /** The description that clients see; absent for a tool that they do not see. */
  readonly seen?: string;
  readonly isCallable: boolean;
}

// Of the tools `same`, `changed`, `new` and `removed`, once the server has changed them.
const TRUTH: readonly (readonly [PinSettings, readonly Seen[]])[] = [
  [
    { mode: "known", changedTools: "refuse" },
    [
      { seen: "As ever", isCallable: true },
      { seen: "Before", isCallable: false },
      { seen: "", isCallable: true },
      { isCallable: true },
    ],
  ],
  [
    { mode: "known", changedTools: "allow" },
    [
      { seen: "As ever", isCallable: true },
      { seen: "Before", isCallable: true },
      { seen: "", isCallable: true },
      { isCallable: true },
    ],
  ],
  [
    { mode: "all", changedTools: "refuse" },
    [
      { seen: "As ever", isCallable: true },
      { seen: "Before", isCallable: false },
      { isCallable: false },
      { isCallable: true },
    ],
  ],
  [
    { mode: "all", changedTools: "allow" },
    [
      { seen: "As ever", isCallable: true },
      { seen: "Before", isCallable: true },
      { isCallable: false },
      { isCallable: true },
    ],
  ],
];

describe.each(PLACES)("what changes at a server on %s, over %s", (kind, way) => {
  test.each(TRUTH)("is seen and called by %j", async (settings, expected) => {
    await using pinned = await openPinned(kind, way, {}, settings);
    await pinned.list();
    pinned.server.tools = LATER;

    const { tools } = (await pinned.list()).result as { tools: { name: string; description?: string }[] };

    const found: Seen[] = [];
    for (const name of ["same", "changed", "new", "removed"]) {
      const seen = tools.find((tool) => tool.name === name);
      const answer = await call(pinned.client, name);
      found.push({ ...(seen && { seen: seen.description ?? "" }), isCallable: "result" in answer });
    }
    expect(found).toEqual(expected);
    expect(pinned.server.called).toHaveLength(expected.filter(({ isCallable }) => isCallable).length);
  });

  test("by known tools passes byte for byte while nothing differs, odd definitions among it", async () => {
    await using pinned = await openPinned(kind, way, {}, { mode: "known", changedTools: "refuse" });
    // Two parsers read the second one differently; a third of the same name as the first is the same.
    const odd = `[ ${SAME} , {"name":"odd","inputSchema":{"id":1,"ID":2}},${SAME},{"name":"later\\u0041"}]`;
    for (const tools of [AT_FIRST, odd, odd]) {
      pinned.server.tools = tools;
      // On HTTP with SSE, answers come by another stream.
      const sent = way === "session" && '{"jsonrpc":"2.0","id":70,"method":"tools/list","params":{}}';
      if (sent) expect(await (await pinned.client.send(sent)).text()).toContain(`{"tools":${tools}}`);
      expect(await pinned.list()).toMatchObject({ result: { tools: JSON.parse(tools) } });
    }
    const long = `[${[...Array(1_500).keys()].map((index) => `{"name":"tool${index}"}`).join(",")}]`;
    pinned.server.tools = long;
    expect(await pinned.list()).toHaveProperty("result.tools.length", 1_500);

    pinned.server.tools = odd.replace('"ID":2', '"ID":3');
    expect(await pinned.list()).toHaveProperty("result.tools.1.inputSchema.ID", 2);
    expect(await call(pinned.client, "odd")).toHaveProperty("error");
    const refused = '{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"odd"}}';
    // An error of the call, and no failure of the connection: clients show it to the model.
    if (way !== "sse") expect((await pinned.client.send(refused)).status).toBe(200);
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
    const pins = await loadPins(ALL);

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
