import { beforeAll, describe, expect, test } from "vitest";
import { readSite } from "../../records/read-site.ts";
import type { SearchRecord } from "../../records/search-record.ts";
import { FIXTURE_SEGMENT, FIXTURE_SITE_URL, writeFixtureSite } from "../../testing/fixture-site.ts";
import { MiniSearchRival } from "../../testing/minisearch-rival.ts";
import { PLAIN_QUERY } from "../../testing/plain-query.ts";
import { type GradedQuery, measureRelevance, type Relevance } from "../../testing/relevance.ts";
import { findGaps } from "../../testing/relevance-gaps.ts";
import graded from "../../testing/relevance-queries.json" with { type: "json" };
import { createTestFolder } from "../../testing/search-server.ts";
import { buildIndexData } from "../index/build-index-data.ts";
import { OwnEngine } from "./memory-engine.ts";

const QUERIES: readonly GradedQuery[] = graded.queries;
let records: SearchRecord[];
let engine: OwnEngine;
let own: Relevance;

function findUrls(query: string): string[] {
  const answer = engine.search({ ...PLAIN_QUERY, text: query });
  return answer.hits.map(({ record }) => record.url);
}

beforeAll(async () => {
  await using folder = await createTestFolder();
  await writeFixtureSite(folder.path);
  records = await readSite({ siteDir: folder.path, siteUrl: FIXTURE_SITE_URL });
  engine = new OwnEngine({ data: buildIndexData({ indexName: FIXTURE_SEGMENT, records }) });
  own = await measureRelevance(QUERIES, findUrls, FIXTURE_SEGMENT);
});

// Floors against regressions, a little below what is reached (success1 .93, success5 1, ndcg10 .95, in the best order .97).
describe("relevance on the fixture site", () => {
  test("the first page answers nine of ten queries, the first five all of them", () => {
    expect(own.success1).toBeGreaterThanOrEqual(0.92);
    expect(own.success5).toBe(1);
  });

  test("the order of the first ten pages is close to the best order", () => {
    expect(own.ndcg10).toBeGreaterThanOrEqual(0.94);
  });

  test("pages that say what was asked are in nearly the best order", () => {
    const gaps = findGaps(QUERIES, records, FIXTURE_SEGMENT);
    const lost = gaps.reduce((sum, { reachedNdcg10 }) => sum + 1 - reachedNdcg10, 0);

    expect(1 - lost / QUERIES.length).toBeGreaterThanOrEqual(0.96);
  });

  test("no query finds nothing", () => {
    expect(own.none).toBe(0);
  });

  test("is better than a tuned MiniSearch on the same records", async () => {
    const rival = new MiniSearchRival(records);
    const other = await measureRelevance(QUERIES, (query) => rival.search(query), FIXTURE_SEGMENT);

    expect(own.ndcg10).toBeGreaterThan(other.ndcg10);
    expect(own.success1).toBeGreaterThan(other.success1);
  });

  test("every command is found first by its own name", () => {
    const commands = records.filter(({ type, url }) => type === "lvl1" && url.includes("/reference/cli/"));
    const missed = commands
      .map(({ hierarchy, url }) => ({ name: hierarchy.lvl1 ?? "", url }))
      .filter(({ name, url }) => findUrls(name)[0] !== url);

    expect(missed.map(({ name }) => name)).toEqual([]);
  });

  test.each(["runn", "rmm", "stp", "lsit", "rn"])(
    "a mistyped command, thv %s, finds what the command finds",
    (typed) => {
      const meant: Record<string, string> = { runn: "run", rmm: "rm", stp: "stop", lsit: "list", rn: "run" };

      expect(findUrls(`thv ${typed}`)).toEqual(findUrls(`thv ${meant[typed]}`));
      expect(findUrls(`thv ${typed}`)[0]).toMatch(new RegExp(`/reference/cli/thv_${meant[typed]}$`));
    },
  );

  test("every page is among the first five for its own title", () => {
    const pages = records.filter(({ type }) => type === "lvl1");
    const missed = pages.filter(({ hierarchy, url }) => {
      const first = new Set(findUrls(hierarchy.lvl1 ?? "").map((hit) => hit.split("#")[0]));
      return ![...first].slice(0, 5).includes(url);
    });

    expect(missed.map(({ url }) => url)).toEqual([]);
  });
});
