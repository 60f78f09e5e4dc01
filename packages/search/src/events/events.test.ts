import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SILENT_LOG } from "../support/search-log.ts";
import { FIXTURE_SEGMENT } from "../testing/fixture-site.ts";
import { buildFixtureIndex, createTestFolder, modalRequest, startTestServer } from "../testing/search-server.ts";
import { EventFile } from "./event-file.ts";
import { redactQuery } from "./event-line.ts";
import { createReport, formatReport } from "./report.ts";

const TODAY = () => new Date("2026-03-01T10:20:30.456Z");

async function readLines(file: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(file, "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("what is kept of searches and clicks", () => {
  test("typing is one search, and clicks know what was searched; no address, token or id is written", async () => {
    await using folder = await createTestFolder();
    const eventsFile = join(folder.path, "events.jsonl");
    const server = await startTestServer({ indexFile: await buildFixtureIndex(folder.path), eventsFile, today: TODAY });
    let queryID = "";
    for (const query of ["s", "se", "sec", "secrets"]) {
      const { body } = await server.search([modalRequest(query, { clickAnalytics: true })]);
      queryID = body.results[0].queryID;
    }
    const event = {
      index: FIXTURE_SEGMENT,
      objectIDs: ["0-https://docs.example.org/a"],
      userToken: "anonymous-1",
      queryID,
    };
    const response = await server.post(
      "/1/events?X-Algolia-Application-Id=docs",
      JSON.stringify({
        events: [
          { ...event, eventType: "click", eventName: "Item Selected", positions: [0] },
          { ...event, eventType: "view", eventName: "Items Viewed", queryID: undefined },
          { ...event, eventType: "unheard of" },
          "nonsense",
        ],
      }),
      { headers: { "content-type": "text/plain;charset=UTF-8" } },
    );
    await server[Symbol.asyncDispose]();
    const text = await readFile(eventsFile, "utf8");

    expect(await response.json()).toEqual({ status: 200, message: "OK" });
    expect(await readLines(eventsFile)).toEqual([
      { at: "2026-03-01T10:20Z", kind: "click", index: FIXTURE_SEGMENT, objectIDs: event.objectIDs, query: "secrets" },
      { at: "2026-03-01T10:20Z", kind: "view", index: FIXTURE_SEGMENT, objectIDs: event.objectIDs },
      { at: "2026-03-01T10:20Z", kind: "search", index: FIXTURE_SEGMENT, query: "secrets", hits: expect.any(Number) },
    ]);
    for (const forbidden of ["127.0.0.1", "anonymous", queryID]) expect(text).not.toContain(forbidden);
    expect((await stat(eventsFile)).mode & 0o777).toBe(0o600);
  });

  test("a body that is not a list of events is 400", async () => {
    await using folder = await createTestFolder();
    await using server = await startTestServer({ indexFile: join(folder.path, "none") });
    const statuses = await Promise.all(
      ["{}", "[]", "null", "x", JSON.stringify({ events: Array(1_001).fill({}) })].map(
        async (body) => (await server.post("/1/events", body)).status,
      ),
    );

    expect(statuses).toEqual([400, 400, 400, 400, 400]);
  });

  test.each([
    ["mail me@example.org now", "mail [removed] now"],
    ["token ghp_16C7e42F292c6912E7710c838347Ae178B4a", "token [removed]"],
    ["host 192.168.1.20", "host [removed]"],
    ["call +49 170 1234567", "call [removed]"],
    ["  Thv\tRUN \u0000 --proxy-port 8080 ", "thv run --proxy-port 8080"],
    ["thv config otel unset-sampling-rate", "thv config otel unset-sampling-rate"],
    ["x".repeat(100), "x".repeat(64)],
  ])("%j is kept as %j", (query, kept) => {
    expect(redactQuery(query)).toBe(kept);
  });
});

describe("EventFile", () => {
  const line = (query: string) => ({ at: "2026-03-01T10:20Z", kind: "search", index: "docs", query, hits: 1 }) as const;

  test("never holds more than twice its limit", async () => {
    await using folder = await createTestFolder();
    const file = join(folder.path, "events.jsonl");
    const events = new EventFile({ file, log: SILENT_LOG, maxBytes: 2_000, flushIntervalMs: 60_000 });
    for (let at = 0; at < 200; at++) {
      events.add([line(`query ${at}`)]);
      await events.flush();
    }

    expect((await stat(file)).size).toBeLessThanOrEqual(2_000);
    expect((await stat(`${file}.1`)).size).toBeLessThanOrEqual(2_000);
    expect((await readLines(file)).at(-1)).toMatchObject({ query: "query 199" });
  });

  test("a folder that cannot be written is logged and does no harm", async () => {
    await using folder = await createTestFolder();
    await writeFile(join(folder.path, "file"), "");
    const warnings: string[] = [];
    const log = { ...SILENT_LOG, warn: (_: unknown, message: string) => void warnings.push(message) };
    await using events = new EventFile({ file: join(folder.path, "file", "events.jsonl"), log });
    events.add([line("lost")]);
    await events.flush();

    expect(warnings).toEqual(["search events not written"]);
  });
});

describe("the report", () => {
  test("counts searches, empty answers and clicks, and skips what it cannot read", async () => {
    await using folder = await createTestFolder();
    const file = join(folder.path, "events.jsonl");
    const search = (query: string, hits: number, at = "2026-03-01T10:00Z") =>
      JSON.stringify({ at, kind: "search", index: "docs", query, hits });
    const click = JSON.stringify({
      at: "2026-03-02T09:00Z",
      kind: "click",
      index: "docs",
      query: "secrets",
      objectIDs: ["3-https://x.test/guide"],
    });
    await writeFile(`${file}.1`, `${search("secrets", 5, "2026-02-01T00:00Z")}\n`);
    await writeFile(
      file,
      [search("secrets", 5), search("gopher", 0), ...Array(3).fill(search("ports", 2)), click, '{"at":"cut'].join("\n"),
    );

    const report = await createReport([`${file}.1`, file]);

    expect(report).toEqual({
      from: "2026-02-01T00:00Z",
      to: "2026-03-02T09:00Z",
      searches: 6,
      withoutHits: 1,
      clicks: 1,
      views: 0,
      unreadable: 1,
      topQueries: [
        { query: "ports", searches: 3, clicks: 0 },
        { query: "secrets", searches: 2, clicks: 1 },
        { query: "gopher", searches: 1, clicks: 0 },
      ],
      nothingFound: [{ query: "gopher", searches: 1, clicks: 0 }],
      neverClicked: [{ query: "ports", searches: 3, clicks: 0 }],
      topPages: [{ page: "/guide", clicks: 1 }],
    });
    expect(formatReport(report)).toContain("6 searches, 1 found nothing (17 %), 1 clicks, 0 lists viewed");
  });

  test("without files there are no searches", async () => {
    expect(formatReport(await createReport(["/nonexistent/events.jsonl"]))).toBe("No searches yet.");
  });
});
