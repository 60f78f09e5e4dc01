/**
 * Whatever a server lists, however it spells that and whenever, over restarts of everything and full disks: no client sees or
 * calls a tool by another definition than the one that was recorded or accepted. And what stays the same costs nobody a tool.
 */
import { setImmediate } from "node:timers/promises";
import { MemoryPinStore, PropertyBudget, ToolPins } from "@toolhive/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readUtf8, saysUtf8 } from "../http/answer-encoding.ts";
import { readClientBody } from "../messages/client-message.ts";
import { SILENT_LOG } from "../options/log.ts";
import { readAsAnyClient, type SeenTool } from "../testing/list-readers.ts";
import { createPinLayer } from "./pin-rules.ts";

const RUNS = 250;

const NAMES = ["add", "echo", "\ud800", "\udc00", "x".repeat(1_001)];
/** What a definition says, without its name; the first two are the same words in another order. */
const MEANINGS = [
  '"description":"one, two"',
  '"description":"two, one"',
  '"description":"EVIL"',
  '"description":"one, two","_meta":{"ui":{"resourceUri":"ui://evil"}}',
  '"inputSchema":{"maximum":9007199254740992}',
  '"inputSchema":{"maximum":9007199254740993}',
  '"inputSchema":{"required":["a","b"]}',
  '"inputSchema":{"required":["b","a"]}',
  '"description":"one","description":"EVIL"',
  '"description":"one","Description":"EVIL"',
];
const ORDERED = [
  [0, 1],
  [6, 7],
];
const BEHIND = ["", ',"icons":[]', ',"_meta":{"a":1}', ',"Name":"add"', ',"name":"add"', ',"x":1'];
const UNCLEAR = new Set([3, 4]);
const LIST_KEYS = [
  '"tools"',
  '"to\\u006fls"',
  '"Tools"',
  '"tool\u017f"',
  '"\uff54ools"',
  '"too_ls"',
  '"tools":[],"tools"',
];
const RESULT_KEYS = [
  '"result"',
  '"Result"',
  '"result":{},"RESULT"',
  '"error":{"code":1,"message":""},"Result"',
  '"result":{},"result"',
];
const TYPES = ["application/json", "application/json; charset=utf-16le"];
const ENCODINGS: readonly ((text: string) => Buffer)[] = [
  (text) => Buffer.from(text),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(text, "utf16le"),
  (text) => Buffer.from(`[${text}]`),
];

/** Mostly the first, so that lists are read at all. */
const mostlyFirst = (length: number) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: length - 1 }) });
const ENTRY = fc.record({
  name: fc.nat({ max: NAMES.length - 1 }),
  meaning: fc.nat({ max: MEANINGS.length - 1 }),
  behind: mostlyFirst(BEHIND.length),
});
const LIST = fc.record({
  act: fc.constant("list" as const),
  entries: fc.array(ENTRY, { maxLength: 4 }),
  flood: fc.oneof({ weight: 80, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1_100) }),
  next: fc.option(fc.constantFrom("1", "2", "3"), { nil: undefined }),
  key: mostlyFirst(LIST_KEYS.length),
  result: mostlyFirst(RESULT_KEYS.length),
  type: mostlyFirst(TYPES.length),
  encoding: mostlyFirst(ENCODINGS.length),
});
type List = typeof LIST extends fc.Arbitrary<infer T> ? T : never;
const STEP = fc.oneof(
  { weight: 8, arbitrary: LIST },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constantFrom(
        "start" as const,
        "update" as const,
        "kill" as const,
        "fill" as const,
        "free" as const,
        "accept" as const,
      ),
    }),
  },
);

type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

function formatList({ entries, flood, next, key, result, encoding }: List): Buffer {
  const tools = entries.map(
    ({ name, meaning, behind }) => `{"name":${JSON.stringify(NAMES[name])},${MEANINGS[meaning]}${BEHIND[behind]}}`,
  );
  const others = [...Array(flood).keys()].map((index) => `{"name":"j${index}"}`);
  const cursor = next === undefined ? "" : `,"nextCursor":"${next}"`;
  const text = `{"jsonrpc":"2.0","id":1,${RESULT_KEYS[result]}:{${LIST_KEYS[key]}:[${[...others, ...tools].join(",")}]${cursor}}}`;
  return (ENCODINGS[encoding] ?? Buffer.from)(text);
}

function isOtherOrder(left: string | undefined, right: string): boolean {
  return ORDERED.some((pair) => {
    const [first, second] = pair.map((index) => readAsAnyClient(wrap(MEANINGS[index] ?? ""), undefined)[0]?.meaning);
    return (left === first && right === second) || (left === second && right === first);
  });
}

function wrap(meaning: string): Buffer {
  return Buffer.from(`{"result":{"tools":[{"name":"a",${meaning}}]}}`);
}

const CLEAR = new Set(
  [0, 1, 2, 4, 6, 7].map((index) => readAsAnyClient(wrap(MEANINGS[index] ?? ""), undefined)[0]?.meaning),
);

/** A server, its supervisor and its clients; what clients may see is written down beside what the pins do. */
class PinnedWorld {
  readonly #mode: "known" | "all";
  readonly #disk = new Map<string, string>();
  #isDiskFull = false;
  #pins: ToolPins | undefined;
  #image = "one";
  /** What clients have seen of each tool, or what was accepted. */
  #recorded = new Map<string, string>();
  /** As it was when the record was written last. */
  #saved = new Map<string, string>();
  /** What the server said of each tool last, in lists that were read. */
  #said = new Map<string, readonly string[]>();
  /** Whether the first list has ended, for tools that are new after it. */
  #isClosed = false;
  seen = 0;
  refused = 0;

  constructor(mode: "known" | "all") {
    this.#mode = mode;
  }

  async open(): Promise<void> {
    const store = new MemoryPinStore(this.#disk);
    const save = store.save.bind(store);
    store.save = async (name, record) => {
      if (this.#isDiskFull) throw new Error("disk full");
      this.#saved = new Map(this.#recorded);
      await save(name, record);
    };
    const settings = { mode: this.#mode, changedTools: "refuse" } as const;
    const pins = new ToolPins({ name: "echo", store, log: SILENT_LOG, settings });
    this.#pins = pins;
    await pins.load({ image: this.#image, isNew: true });
  }

  async perform(step: typeof STEP extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
    const pins = this.#pins;
    if (!pins) return;
    if (step.act === "list") this.#list(step, pins);
    else if (step.act === "accept") await this.#accept(pins);
    else if (step.act === "fill" || step.act === "free") this.#isDiskFull = step.act === "fill";
    else {
      if (step.act === "update") this.#image = `${this.#image}+`;
      if (step.act === "kill") await this.#kill();
      else await pins.load({ image: this.#image, isNew: true });
      this.#isClosed ||= this.#pins?.hasList === true;
    }
    // Writes that are due happen.
    await setImmediate();
    this.#checkCalls(this.#pins ?? pins);
  }

  /** What is in memory alone is lost. */
  async #kill(): Promise<void> {
    this.#pins = undefined;
    this.#recorded = new Map(this.#saved);
    this.#said.clear();
    await this.open();
    this.#isClosed = this.#disk.size > 0;
  }

  async #accept(pins: ToolPins): Promise<void> {
    const { differences } = pins.describe();
    if (!pins.hasList) return;
    if (this.#isDiskFull) {
      await expect(pins.accept()).rejects.toThrow("disk full");
      return;
    }
    const left = new Set((await pins.accept()).differences.map(({ name }) => name));
    for (const { name, kind, after, afterText } of differences) {
      if (left.has(name)) continue;
      // Whoever accepts one of two of a name learns of the other one from the next list.
      this.#said.delete(name);
      if (kind === "removed") this.#recorded.delete(name);
      else {
        const text = afterText ?? JSON.stringify(after);
        const [tool] = readAsAnyClient(Buffer.from(`{"result":{"tools":[${text}]}}`), undefined);
        this.#recorded.set(name, tool?.meaning ?? "");
      }
    }
    this.#saved = new Map(this.#recorded);
  }

  #list(list: List, pins: ToolPins): void {
    const type = TYPES[list.type] ?? "";
    const raw = formatList(list);
    const charset = /charset=(.*)/.exec(type)?.[1];
    if (!saysUtf8({ headers: { "content-type": type } })) return;
    const read = readUtf8(raw);
    if (read === undefined) return;
    const { filter } = createPinLayer(pins).addTo(undefined);
    const [start, end] = read[0] === 0x5b ? [1, read.length - 1] : [0, read.length];
    const shown = filter.call(createPinLayer(pins).addTo(undefined), ANYBODY, read.subarray(start, end));
    const tools = readAsAnyClient(shown, charset);
    for (const tool of tools) this.#checkSeen(tool);
    if (shown.includes('"error":{"code":-32603')) return;
    // An entry whose name two parsers read differently is shown to nobody.
    const named = list.entries.filter(({ behind }) => !UNCLEAR.has(behind));
    this.#note(readAsAnyClient(formatList({ ...list, entries: named, flood: 0 }), charset));
    if (list.next === undefined && this.#mode === "all") this.#isClosed = true;
  }

  #checkSeen({ name, meaning }: SeenTool): void {
    this.seen += 1;
    const recorded = this.#recorded.get(name);
    if (recorded === undefined) {
      expect([this.#isClosed && this.#mode === "all", name]).toEqual([false, name]);
      this.#recorded.set(name, meaning);
    } else expect([name, meaning]).toEqual([name, recorded]);
  }

  #note(said: readonly SeenTool[]): void {
    for (const { name } of said)
      this.#said.set(
        name,
        said.filter((each) => each.name === name).map(({ meaning }) => meaning),
      );
  }

  #checkCalls(pins: ToolPins): void {
    const { findRefusal } = createPinLayer(pins).addTo(undefined);
    const rules = createPinLayer(pins).addTo(undefined);
    for (const [name, meanings] of this.#said) {
      const recorded = this.#recorded.get(name);
      const body = readClientBody(
        Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } })),
        { maxBatch: 1, maxMessageValues: 1_000 },
      );
      if (body.kind !== "single" || recorded === undefined) continue;
      const refusal = findRefusal.call(rules, ANYBODY, body.message);
      if (refusal !== undefined) this.refused += 1;
      if (meanings.some((meaning) => meaning !== recorded && !isOtherOrder(recorded, meaning)))
        expect([name, refusal]).toEqual([name, expect.any(String)]);
      // What is held to its bytes may differ in more than its meaning.
      if (CLEAR.has(recorded) && meanings.every((meaning) => meaning === recorded))
        expect([name, refusal]).toEqual([name, undefined]);
    }
  }
}

const ANYBODY = { id: "", claims: {} } as never;

test.each(["known", "all"] as const)(
  "with %s tools pinned, nobody sees or calls another definition than the recorded one",
  async (mode) => {
    let seen = 0;
    let refused = 0;
    const budget = new PropertyBudget(RUNS);
    const holds = budget.limit(async (steps: Step[]) => {
      const world = new PinnedWorld(mode);
      await world.open();
      for (const step of steps) await world.perform(step);
      seen += world.seen;
      refused += world.refused;
    });
    await fc.assert(fc.asyncProperty(fc.array(STEP, { maxLength: 25 }), holds), budget.parameters);
    // Else the property held because nothing happened.
    expect([seen > budget.tried, refused > budget.tried / 10]).toEqual([true, true]);
  },
);
