import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { describeUsage, estimateTokens } from "./describe-usage.ts";
import { estimatePercentile, LATENCY_BOUNDS_MS } from "./latency.ts";
import { UsageBook, type UsageBookOptions } from "./usage-book.ts";
import { UsageFiles } from "./usage-files.ts";
import { MAX_NAME_LENGTH } from "./usage-names.ts";
import { MAX_USED_CLIENTS, MAX_USED_TOOLS } from "./usage-recorder.ts";

const DAY_MS = 86_400_000;
const START = Date.parse("2026-11-26T10:00:00Z");

let directory: string;
let now: number;
let isWanted: boolean;
const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "thv-usage-"));
  now = START;
  isWanted = true;
  vi.clearAllMocks();
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

const open = (more: Partial<UsageBookOptions> = {}) =>
  new UsageBook({
    store: new UsageFiles(directory),
    isWanted: async () => isWanted,
    setWanted: async (next) => {
      isWanted = next;
    },
    log: log as unknown as UsageBookOptions["log"],
    now: () => now,
    ...more,
  });
const path = (name: string) => join(directory, "usage", `${name}.json`);
const call = (tool: string, more: { client?: string; isFailure?: boolean; ms?: number } = {}) => ({
  tool,
  client: "cursor",
  isFailure: false,
  ms: 20,
  ...more,
});
const read = async (book: UsageBook, name = "echo") => {
  const recorder = await book.read(name);
  if (recorder === undefined) throw new Error("nothing is counted");
  return describeUsage(recorder, now);
};

describe("what is counted of a server", () => {
  test("are calls, failures and durations, by tool and by client, of the last 30 days", async () => {
    const book = open();
    const sink = book.forServer("echo");
    sink.record(call("add"));
    now += DAY_MS;
    sink.record(call("add", { client: "vscode", isFailure: true, ms: 700 }));
    sink.record({ isFailure: false, ms: 3, client: "cursor" });

    const usage = await read(book);
    expect(usage).toMatchObject({ calls: 3, failures: 1, lastUsedAt: new Date(now), since: new Date(START) });
    expect(usage.tools).toEqual([expect.objectContaining({ name: "add", calls: 2, failures: 1 })]);
    expect(usage.clients.map(({ name, calls }) => [name, calls])).toEqual([
      ["cursor", 2],
      ["vscode", 1],
    ]);
    expect(usage.days.slice(-2)).toEqual([
      { date: "2026-11-26", calls: 1, failures: 0 },
      { date: "2026-11-27", calls: 2, failures: 1 },
    ]);
    expect(usage.days).toHaveLength(30);
    expect(usage.p95Ms).toBeGreaterThan(500);

    now += 29 * DAY_MS;
    expect(await read(book)).toMatchObject({ calls: 2, failures: 1 });
    now += DAY_MS;
    expect(await read(book)).toMatchObject({ calls: 0, failures: 0, clients: [] });
  });

  test("are the sizes of the tools that clients got last, of which some were never called", async () => {
    const book = open();
    const sink = book.forServer("echo");
    sink.measure({ tools: [{ name: "add", bytes: 400 }], isFirst: true, isLast: false });
    sink.measure({ tools: [{ name: "sub", bytes: 101 }], isFirst: false, isLast: true });
    sink.record(call("add"));

    const { context, tools } = await read(book);
    expect(context).toEqual({ bytes: 501, tokens: 126, toolCount: 2, measuredAt: new Date(START) });
    expect(tools).toEqual([
      expect.objectContaining({ name: "add", calls: 1, contextBytes: 400 }),
      { name: "sub", calls: 0, failures: 0, contextBytes: 101 },
    ]);

    sink.measure({ tools: [{ name: "add", bytes: 400 }], isFirst: true, isLast: true, instead: 90 });
    expect((await read(book)).context).toMatchObject({ bytes: 90, tokens: estimateTokens(90), toolCount: 1 });
  });

  test("stays within its bounds, whatever names a server and its clients invent", async () => {
    const book = open();
    const sink = book.forServer("echo");
    for (let index = 0; index < 2 * MAX_USED_TOOLS; index++)
      sink.record(call(`tool-${index}`, { client: `client-${index}` }));
    sink.record(call("x".repeat(100_000), { client: "\u202egnp\u0000\u001b[31m" }));

    const usage = await read(book);
    expect(usage.tools).toHaveLength(MAX_USED_TOOLS);
    expect(usage.otherTools?.calls).toBe(MAX_USED_TOOLS + 1);
    expect(usage.clients).toHaveLength(MAX_USED_CLIENTS);
    await book.save();
    expect((await stat(path("echo"))).size).toBeLessThan(100_000);

    // A place that was not used in 30 days is given to another name.
    now += 31 * DAY_MS;
    sink.record(call("x".repeat(100_000), { client: "\u202egnp\u0000\u001b[31m" }));
    const later = await read(book);
    expect(later.tools.map(({ name }) => name)).toEqual(["x".repeat(MAX_NAME_LENGTH)]);
    expect(later.clients.map(({ name }) => name)).toEqual(["\ufffdgnp\ufffd\ufffd[31m"]);
  });

  test("are no tools that the server does not list, and no names of JavaScript", async () => {
    const book = open();
    const sink = book.forServer("echo");
    sink.measure({ tools: [{ name: "__proto__", bytes: 10 }], isFirst: true, isLast: true });
    sink.record(call("__proto__", { client: "constructor" }));
    sink.record(call("invented"));
    await book.save();

    const usage = await read(open());
    expect(usage.tools).toEqual([expect.objectContaining({ name: "__proto__", calls: 1 })]);
    expect(usage.otherTools?.calls).toBe(1);
    expect(usage.clients.map(({ name }) => name).sort()).toEqual(["constructor", "cursor"]);
  });
});

describe("the file of a server", () => {
  test("is private, has what the next process continues with, and no content", async () => {
    const book = open();
    book.forServer("echo").measure({ tools: [{ name: "add", bytes: 40 }], isFirst: true, isLast: true });
    book.forServer("echo").record(call("add"));
    await book.close();

    expect((await stat(path("echo"))).mode & 0o777).toBe(0o600);
    const next = open();
    next.forServer("echo").record(call("add"));
    expect(await read(next)).toMatchObject({ calls: 2, context: { bytes: 40 } });
    await next.close();
    expect(await read(open())).toMatchObject({ calls: 2, tools: [{ calls: 2 }] });
    expect(Object.keys(JSON.parse(await readFile(path("echo"), "utf8"))).sort()).toEqual([
      ...["all", "clients", "context", "since", "state_version", "tools"],
    ]);
  });

  test.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["another form", '{"since":1,"all":[]}'],
    [
      "negative numbers",
      '{"since":"","all":{"total":{"calls":-1,"failures":0,"latency":[]},"days":[]},"tools":[],"clients":[]}',
    ],
    ["nothing", ""],
  ])("that holds %s costs what was counted, and counting goes on", async (_what, text) => {
    const before = open();
    before.forServer("echo").record(call("add"));
    await before.close();
    await writeFile(path("echo"), text);

    const book = open();
    book.forServer("echo").record(call("add"));
    expect(await read(book)).toMatchObject({ calls: 1 });
    await book.close();
    expect(await read(open())).toMatchObject({ calls: 1 });
  });

  test("of a newer version stays as it is", async () => {
    const before = open();
    before.forServer("echo").record(call("add"));
    await before.close();
    await writeFile(path("echo"), '{"state_version":99}');

    const book = open();
    book.forServer("echo").record(call("add"));
    expect(await read(book)).toMatchObject({ calls: 1 });
    await book.close();
    expect(await readFile(path("echo"), "utf8")).toBe('{"state_version":99}');
  });

  test("that cannot be written is written later, with one warning, and no call fails", async () => {
    const files = new UsageFiles(directory);
    let isFull = true;
    const store = Object.assign(Object.create(files) as UsageFiles, {
      read: (name: string) => files.read(name),
      save: async (name: string, record: Parameters<UsageFiles["save"]>[1]) => {
        if (isFull) throw new Error("no space left on device");
        await files.save(name, record);
      },
    });
    const book = open({ store });
    book.forServer("echo").record(call("add"));
    await book.save();
    book.forServer("echo").record(call("add"));
    await book.save();
    expect(log.warn).toHaveBeenCalledTimes(1);

    isFull = false;
    await book.close();
    expect(await read(open())).toMatchObject({ calls: 2 });
  });

  test("is written when something was counted, and only then", async () => {
    const book = open();
    book.forServer("echo").record(call("add"));
    await book.save();
    const { mtimeMs } = await stat(path("echo"));
    await book.save();
    await read(book, "quiet");
    await book.save();
    expect((await stat(path("echo"))).mtimeMs).toBe(mtimeMs);
    expect(await readdir(join(directory, "usage"))).toEqual(["echo.json"]);
  });

  test("goes with its server, also when a call of it ends later", async () => {
    const book = open();
    const sink = book.forServer("echo");
    sink.record(call("add"));
    await book.save();
    await book.delete("echo");
    sink.record(call("add"));
    book.recordClient("echo", "cursor", { isFailure: false, ms: 1 });
    await book.close();
    expect(await readdir(join(directory, "usage"))).toEqual([]);

    // Another server may have the name of one that was removed.
    const later = open();
    later.forServer("echo").record(call("add"));
    expect(await read(later)).toMatchObject({ calls: 1 });
  });
});

describe("a setting", () => {
  test("ends counting, and deletes what was counted", async () => {
    const book = open();
    const sink = book.forServer("echo");
    sink.record(call("add"));
    await book.save();
    await book.turn(false);
    sink.record(call("add"));
    expect([book.isOn, await book.read("echo")]).toEqual([false, undefined]);
    await book.close();
    expect(await readdir(directory)).toEqual([]);

    await book.turn(true);
    sink.record(call("add"));
    expect(await read(book)).toMatchObject({ calls: 1 });
  });

  test("that cannot be read changes nothing", async () => {
    const book = open({ isWanted: () => Promise.reject(new Error("damaged")) });
    book.forServer("echo").record(call("add"));
    await book.close();
    expect(await readdir(join(directory, "usage"))).toEqual(["echo.json"]);
  });
});

test.each([
  [[], undefined],
  [[100], 5],
  [[0, 0, 100], 24],
  [[...LATENCY_BOUNDS_MS.map(() => 0), 7], 30_000],
])("of the calls %j, 95 %% take at most %s ms", (buckets, expected) => {
  expect(estimatePercentile(buckets, 0.95)).toBe(expected);
});
