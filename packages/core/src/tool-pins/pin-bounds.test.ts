/** Pins of servers with very many tools, very long definitions and lists that never end: nothing passes that is not held to something. */
import { describe, expect, test, vi } from "vitest";
import type { PinSettings } from "../access/tool-selection.ts";
import type { ToolDefinition } from "../ports/mcp-endpoint.ts";
import { FakeTime } from "../testing/fake-time.ts";
import { MemoryPinStore } from "../testing/memory-pin-store.ts";
import { MAX_HASHED_TOOLS, MAX_PINNED_TOOLS } from "./pin-record.ts";
import { MAX_TOOL_NAME } from "./pin-set.ts";
import { hashDefinition } from "./tool-definition.ts";
import { ToolPins } from "./tool-pins.ts";

const quiet = () => undefined;
const LOG = { error: quiet, warn: quiet, info: quiet, debug: quiet };
const ADD: ToolDefinition = { name: "add", description: "Adds." };
const EVIL: ToolDefinition = { name: "add", description: "EVIL" };
const ALL: PinSettings = { mode: "all", changedTools: "refuse" };
const KNOWN: PinSettings = { mode: "known", changedTools: "refuse" };
const SHOWN = { definition: JSON.stringify(ADD) };

const page = (tools: readonly ToolDefinition[], next?: string) => ({
  tools: tools.map((definition) => ({ name: definition.name, definition, text: JSON.stringify(definition) })),
  next,
});

async function openPins(settings = KNOWN, disk = new Map<string, string>()) {
  const store = new MemoryPinStore(disk);
  const pins = new ToolPins({ name: "echo", store, log: LOG, settings });
  await pins.load({ image: "one", isNew: true });
  return { pins, store, disk };
}

const listNames = (count: number, prefix = "j"): ToolDefinition[] =>
  [...Array(count).keys()].map((index) => ({ name: `${prefix}${index}` }));

describe.each([KNOWN, ALL])("with %j", (settings) => {
  test("a list that never ends is recorded with its first page, also over restarts", async () => {
    const { pins, disk } = await openPins(settings);
    expect(pins.review(page([ADD], "1"))).toEqual(["unchanged"]);
    expect(pins.review(page([EVIL], "1"))).toEqual([SHOWN]);
    expect(pins.findRefusal("add")).toContain("has changed");
    await expect.poll(() => disk.get("echo")).toContain("EVIL");

    const { pins: next } = await openPins(settings, disk);

    expect(next.findRefusal("add")).toContain("has changed");
    expect(next.review(page([EVIL], "1"))).toEqual([SHOWN]);
    expect(next.describe().differences).toMatchObject([{ name: "add", kind: "changed", before: ADD, after: EVIL }]);
  });

  test.each<[string, readonly ToolDefinition[]]>([
    ["a thousand others", listNames(MAX_PINNED_TOOLS)],
    ["one very long definition", [{ name: "huge", outputSchema: { a: "x".repeat(4 * 1024 * 1024) } }]],
  ])("a tool behind %s is held to its hash, also over restarts", async (_what, others) => {
    const { pins, disk } = await openPins(settings);
    expect(pins.review(page([...others, ADD])).every((shown) => shown === "unchanged")).toBe(true);
    expect(pins.describe().hashedCount).toBeGreaterThan(0);
    await expect.poll(() => disk.get("echo")).toContain(hashDefinition(ADD));
    for (const each of [pins, (await openPins(settings, disk)).pins]) {
      const [shown] = each.review(page([EVIL]));

      expect(["hidden", SHOWN]).toContainEqual(shown);
      expect(each.findRefusal("add")).toContain("has changed");
      expect(each.describe().differences).toContainEqual(
        expect.objectContaining({ name: "add", kind: "changed", after: EVIL }),
      );
    }
    const [difference] = pins.describe().differences.filter(({ name }) => name === "add");
    await pins.accept(difference && [difference]);
    expect(pins.findRefusal("add")).toBeUndefined();
    expect(pins.review(page([EVIL]))).toEqual(["unchanged"]);
    expect(pins.review(page([ADD]))).not.toEqual(["unchanged"]);
  });

  test("a definition that is too deep, or a name that is too long, is never passed on unheld", async () => {
    const { pins } = await openPins(settings);
    let deep: unknown = {};
    for (let level = 0; level < 100; level++) deep = { deep };
    const [first, second] = pins.review(
      page([{ name: "deep", inputSchema: deep }, { name: "x".repeat(MAX_TOOL_NAME + 1) }], "1"),
    );
    expect([first, second]).toEqual([settings === ALL ? "hidden" : "unchanged", "hidden"]);
    const [later] = pins.review(page([{ name: "deep", title: "x", inputSchema: deep }], "1"));
    expect(later).not.toBe("unchanged");
  });
});

test("beyond all hashes, other tools are neither seen nor called, and that is said", async () => {
  const { pins } = await openPins();
  const count = MAX_PINNED_TOOLS + MAX_HASHED_TOOLS;
  pins.review(page(listNames(count), "1"));
  expect([pins.describe().hashedCount, pins.describe().isFull]).toEqual([MAX_HASHED_TOOLS, true]);

  expect(pins.review(page([ADD], "1"))).toEqual(["hidden"]);

  expect([pins.mayRefuse, pins.findRefusal("add")]).toEqual([true, expect.stringContaining("is not recorded")]);
  expect(pins.warnings).toEqual([expect.stringContaining("They are held back.")]);
  // A flood of new ones drives out none that is known.
  expect(pins.findRefusal("j0")).toBeUndefined();
  expect(
    pins.review(
      page([
        { name: "j0", title: "x" },
        { name: `j${count - 1}`, title: "x" },
      ]),
    ),
  ).toEqual([{ definition: '{"name":"j0"}' }, "hidden"]);
});

test("very many changes are held back, and a bounded number is shown", async () => {
  const { pins, disk } = await openPins();
  const tools = listNames(5_000);
  pins.review(page(tools));

  pins.review(page(tools.map((tool) => ({ ...tool, title: "x" }))));

  expect(tools.every(({ name }) => pins.findRefusal(name) !== undefined)).toBe(true);
  expect(pins.describe().differences.length).toBeLessThanOrEqual(2 * MAX_PINNED_TOOLS);
  expect(pins.differenceCount).toBe(5_000);
  await expect.poll(() => disk.get("echo")).toContain("held_hashes");
  const { pins: next } = await openPins(KNOWN, disk);
  expect(tools.every(({ name }) => next.findRefusal(name) !== undefined)).toBe(true);
  next.review(page(tools));
  expect(next.differenceCount).toBe(0);
});

describe("where new tools are held back", () => {
  test("the first list goes on to its last page, or for ten minutes", async () => {
    using time = new FakeTime();
    const { pins } = await openPins(ALL);
    pins.review(page([ADD], "1"));
    expect(pins.review(page([{ name: "second" }], "2"))).toEqual(["unchanged"]);
    await time.advance(600_000);

    expect(pins.review(page([{ name: "third" }], "3"))).toEqual(["hidden"]);

    expect(pins.findRefusal("third")).toContain("is not among the pinned tools");
    expect(pins.findRefusal("second")).toBeUndefined();
  });

  test("a changed tool stays held back when a list leaves it out, or has more pages than are remembered", async () => {
    const { pins } = await openPins(ALL);
    pins.review(page([ADD, { name: "other" }]));
    pins.review(page([EVIL, { name: "other" }]));

    pins.review(page([{ name: "other" }]));
    expect(pins.findRefusal("add")).toContain("has changed");
    for (let index = 0; index < 300; index++) pins.review(page([{ name: "other" }], `c${index}`));
    pins.review(page([]));

    expect(pins.findRefusal("add")).toContain("has changed");
    expect(pins.describe().differences).toEqual([expect.objectContaining({ name: "add", kind: "changed" })]);
  });

  test("asking for the pins between two pages does not make the first page's tools count as gone", async () => {
    const { pins } = await openPins(ALL);
    pins.review(page([ADD], "2"));
    pins.review(page([{ name: "other" }]));
    pins.review(page([ADD], "2"));
    await pins.load();
    pins.review(page([{ name: "other" }]));

    expect(pins.describe().differences).toEqual([]);
  });
});

describe("a record that cannot be written", () => {
  test("is said, tried again each second, and on disk when there is room", async () => {
    using time = new FakeTime();
    const { pins, store, disk } = await openPins();
    store.failures.push(new Error("disk full"), new Error("disk full"));
    pins.review(page([ADD]));
    await time.advance(10);
    expect([disk.size, pins.describe().unsavedReason]).toEqual([0, "disk full"]);
    expect(pins.warnings).toEqual([expect.stringContaining("disk full")]);

    await time.advance(1_100);
    expect(disk.size).toBe(0);
    await time.advance(1_100);

    expect([disk.size, pins.describe().unsavedReason, pins.warnings]).toEqual([1, undefined, []]);
  });

  test("is tried again with each list, also with one that passed before", async () => {
    const { pins, store, disk } = await openPins();
    store.failures.push(new Error("disk full"));
    pins.review({ ...page([ADD]), digest: "one" });
    await vi.waitFor(() => expect(pins.describe().unsavedReason).toBe("disk full"));

    pins.isSettled("one");

    await vi.waitFor(() => expect(disk.size).toBe(1));
  });

  test("is the one of before when what was accepted could not be saved, although the disk may have it", async () => {
    using time = new FakeTime();
    const { pins, store, disk } = await openPins();
    pins.review(page([ADD]));
    pins.review(page([EVIL]));
    await time.advance(10);
    const save = store.save.bind(store);
    store.save = async (name, record) => {
      await save(name, record);
      store.save = save;
      throw new Error("the folder could not be synchronized");
    };

    await expect(pins.accept()).rejects.toThrow("synchronized");
    await time.advance(1_100);

    const { pins: next } = await openPins(KNOWN, disk);
    expect(next.findRefusal("add")).toContain("has changed");
  });
});
