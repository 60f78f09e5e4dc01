/** What a server may say differently from start to start without costing anybody a tool, and what it may not. */
import { describe, expect, test } from "vitest";
import type { ToolDefinition } from "../ports/mcp-endpoint.ts";
import { FakeTime } from "../testing/fake-time.ts";
import { MemoryPinStore } from "../testing/memory-pin-store.ts";
import { ToolPins } from "./tool-pins.ts";

const quiet = () => undefined;
const LOG = { error: quiet, warn: quiet, info: quiet, debug: quiet };

const page = (...tools: ToolDefinition[]) => ({
  tools: tools.map((definition) => ({ name: definition.name, definition })),
  next: undefined,
});

/** An image of which nobody knows what it is. */
const UNKNOWN = "";

/** A server whose tool is recorded; each `start` is another process. */
async function openServer(first: ToolDefinition, image = "one") {
  const disk = new Map<string, string>();
  let pins: ToolPins;
  const start = async (own = image, isNew = true) => {
    // As by another supervisor: what it knows is on disk.
    pins = new ToolPins({
      name: "echo",
      store: new MemoryPinStore(disk),
      log: LOG,
      settings: { mode: "known", changedTools: "refuse" },
    });
    await pins.load({ image: own === UNKNOWN ? undefined : own, isNew });
  };
  const offer = async (definition: ToolDefinition) => {
    const [shown] = pins.review(page(definition));
    // What is on disk afterwards is what another supervisor finds.
    await pins.change({ mode: "known", changedTools: "refuse" });
    return { shown, refusal: pins.findRefusal(definition.name), report: pins.describe() };
  };
  await start();
  await offer(first);
  return { start, offer };
}

const search = (fields: string, more: object = {}): ToolDefinition => ({
  name: "search",
  description: "Searches.",
  inputSchema: { type: "object", properties: { fields: { type: "string", default: fields, ...more } } },
});
const FIRST = search("status,priority,created");
const SECOND = search("created,status,priority");
const THIRD = search("priority,created,status");

describe("the same words in another order", () => {
  test("after each start of the same image: the tool is called, clients see what was recorded, and that is said", async () => {
    const server = await openServer(FIRST);
    for (const other of [SECOND, THIRD, SECOND, FIRST]) {
      await server.start();
      const { shown, refusal, report } = await server.offer(other);

      expect([refusal, report.differences]).toEqual([undefined, []]);
      expect(shown).toEqual(other === FIRST ? "unchanged" : { definition: JSON.stringify(FIRST) });
      expect(report.reordered).toEqual(other === FIRST ? [] : ["search"]);
    }
  });

  test.each<[string, (server: Awaited<ReturnType<typeof openServer>>) => Promise<void>]>([
    ["by the process that said the first", async () => undefined],
    ["by a process of another image", async ({ start }) => await start("two")],
    ["by a process of which nobody knows the image", async ({ start }) => await start(UNKNOWN)],
    ["by the same process, under the next supervisor", async ({ start }) => await start("one", false)],
    [
      "by a process that has said something else before",
      async ({ start, offer }) => {
        await start();
        await offer(SECOND);
      },
    ],
    [
      "by a process that has said what was recorded before",
      async ({ start, offer }) => {
        await start();
        await offer(FIRST);
      },
    ],
    [
      "by a process that has said another order before, under the next supervisor",
      async ({ start, offer }) => {
        await start();
        await offer(SECOND);
        await start("one", false);
      },
    ],
    [
      "by a process that has said other words before",
      async ({ start, offer }) => {
        await start();
        await offer(search("status,password"));
      },
    ],
  ])("%s is a change", async (_what, prepare) => {
    const server = await openServer(FIRST);
    await prepare(server);

    const { shown, refusal } = await server.offer(THIRD);

    expect(refusal).toContain("has changed");
    expect(shown).toEqual({ definition: JSON.stringify(FIRST) });
  });

  test("is a change where nobody knows what image a server has", async () => {
    const server = await openServer(FIRST, UNKNOWN);
    await server.start(UNKNOWN);

    expect((await server.offer(SECOND)).refusal).toContain("has changed");
  });

  test("never takes the place of what was recorded: small steps do not add up", async () => {
    const server = await openServer(FIRST);
    await server.start();
    await server.offer(SECOND);
    await server.start();

    expect((await server.offer(search("created,status,password"))).refusal).toContain("has changed");
  });
});

describe("after a start of the same image,", () => {
  const schema = (inputSchema: object): ToolDefinition => ({ name: "search", inputSchema });
  const text = (description: string): ToolDefinition => ({ name: "search", description });

  test.each<[string, ToolDefinition, ToolDefinition]>([
    ["a printed set", text("One of {'b', 'a', 'c d'}."), text("One of {'c d', 'b', 'a'}.")],
    ["a list of examples", schema({ examples: ["a", "b"] }), schema({ examples: ["b", "a"] })],
    ["a default that is a list", schema({ default: ["a", "b"] }), schema({ default: ["b", "a"] })],
  ])("%s in another order is the same", async (_what, first, other) => {
    const server = await openServer(first);
    await server.start();

    expect((await server.offer(other)).refusal).toBeUndefined();
  });

  test.each<[string, ToolDefinition, ToolDefinition]>([
    ["another word", text("Adds a, b"), text("Adds a, c")],
    ["a word more", text("Adds a, b"), text("Adds a, b, b")],
    ["words from another text", { ...text("a b"), title: "c d" }, { ...text("a c"), title: "b d" }],
    ["another mark", text("Adds a, b."), text("Adds a, b!")],
    ["hidden characters", text("Adds a, b"), text("Adds b,\u200b a")],
    ["another kind of value", schema({ default: "1" }), schema({ default: 1 })],
    ["another bound", schema({ maximum: 12 }), schema({ maximum: 21 })],
    [
      "names of arguments that are swapped",
      schema({ properties: { a: { type: "string" }, b: { type: "number" } } }),
      schema({ properties: { b: { type: "string" }, a: { type: "number" } } }),
    ],
    [
      "a reference with other words in its address",
      schema({ $ref: "https://a.example/b" }),
      schema({ $ref: "https://b.example/a" }),
    ],
    [
      "a tuple in another order",
      schema({ prefixItems: [{ type: "string" }, { type: "number" }] }),
      schema({ prefixItems: [{ type: "number" }, { type: "string" }] }),
    ],
    [
      "a hint that is another one",
      { ...text("a"), annotations: { readOnlyHint: true, destructiveHint: false } },
      { ...text("a"), annotations: { readOnlyHint: false, destructiveHint: true } },
    ],
    [
      "another page that a client draws",
      { ...text("a"), _meta: { ui: { resourceUri: "ui://a/b" } } },
      { ...text("a"), _meta: { ui: { resourceUri: "ui://b/a" } } },
    ],
  ])("%s is a change", async (_what, first, other) => {
    const server = await openServer(first);
    await server.start();

    const { shown, refusal } = await server.offer(other);

    expect(refusal).toContain("has changed");
    expect(typeof shown === "object" && JSON.parse(shown.definition)).toEqual(first);
  });
});

describe("lists whose order means nothing by JSON Schema", () => {
  const schema = (inputSchema: object): ToolDefinition => ({ name: "search", inputSchema });

  test.each<[string, ToolDefinition, ToolDefinition]>([
    ["required", schema({ required: ["a", "b"] }), schema({ required: ["b", "a"] })],
    ["enum", schema({ properties: { a: { enum: ["x", "y"] } } }), schema({ properties: { a: { enum: ["y", "x"] } } })],
    ["type", schema({ type: ["string", "null"] }), schema({ type: ["null", "string"] })],
    [
      "anyOf",
      schema({ anyOf: [{ type: "string" }, { enum: [1, 2] }] }),
      schema({ anyOf: [{ enum: [2, 1] }, { type: "string" }] }),
    ],
    [
      "oneOf",
      schema({ oneOf: [{ required: ["a"] }, { required: ["b"] }] }),
      schema({ oneOf: [{ required: ["b"] }, { required: ["a"] }] }),
    ],
    [
      "allOf",
      schema({ allOf: [{ minProperties: 1 }, { maxProperties: 2 }] }),
      schema({ allOf: [{ maxProperties: 2 }, { minProperties: 1 }] }),
    ],
  ])("%s: another order is the same at any time, and clients see what was recorded", async (_what, first, other) => {
    const server = await openServer(first, UNKNOWN);

    const { shown, refusal } = await server.offer(other);

    expect([refusal, shown]).toEqual([undefined, { definition: JSON.stringify(first) }]);
  });

  test("a value that looks like one is a value", async () => {
    const server = await openServer(schema({ default: { required: [1, 2] } }), UNKNOWN);

    expect((await server.offer(schema({ default: { required: [2, 1] } }))).refusal).toContain("has changed");
  });
});

describe("a description that names the day", () => {
  const DAY = 86_400_000;
  const FORMS: readonly (readonly [string, (at: Date) => string])[] = [
    ["ISO 8601", (at) => at.toISOString().slice(0, 10)],
    ["with the time", (at) => at.toISOString()],
    ["in words", (at) => at.toLocaleDateString("en-US", { dateStyle: "full", timeZone: "UTC" })],
    ["in short words", (at) => at.toLocaleDateString("en-US", { dateStyle: "medium", timeZone: "UTC" })],
    ["the day first", (at) => at.toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" })],
  ];
  const named = (day: string): ToolDefinition => ({ name: "clock", description: `Today is ${day}. Sleeps.` });

  test.each(FORMS)("%s, is as recorded on each other day, and clients see the day of now", async (_form, format) => {
    using time = new FakeTime();
    const server = await openServer(named(format(new Date())), UNKNOWN);
    for (let day = 0; day < 3; day++) {
      await time.advance(10 * DAY);

      const { shown, refusal } = await server.offer(named(format(new Date())));

      expect([shown, refusal]).toEqual(["unchanged", undefined]);
    }
  });

  test("is another one with a day that is not the one of now, and with other words beside it", async () => {
    using time = new FakeTime();
    const at = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
    const server = await openServer(named(at(0)), UNKNOWN);
    await time.advance(10 * DAY);

    expect((await server.offer(named(at(30)))).refusal).toContain("has changed");
    expect((await server.offer({ ...named(at(0)), title: "x" })).refusal).toContain("has changed");
    expect((await server.offer(named("2026-13-77"))).refusal).toContain("has changed");
    expect((await server.offer(named(at(0)))).refusal).toBeUndefined();
  });

  test("that was another day's when it was recorded is another one with the day of now", async () => {
    const server = await openServer(named("2001-01-01"), UNKNOWN);

    expect((await server.offer(named(new Date().toISOString().slice(0, 10)))).refusal).toContain("has changed");
  });
});
