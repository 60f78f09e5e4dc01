import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { buildIndexData } from "../engine/index/build-index-data.ts";
import { decodeIndex, encodeIndex } from "../engine/index/index-format.ts";
import { toSearchRecord } from "../records/search-record.ts";
import { writeFileAtomically } from "../support/atomic-write.ts";
import { FIXTURE_SEGMENT } from "../testing/fixture-site.ts";
import { buildFixtureIndex, createTestFolder, modalRequest, startTestServer } from "../testing/search-server.ts";
import { PushError, pushIndex } from "./push-index.ts";

describe("pushIndex", () => {
  test("what is pushed answers as the index it came from", async () => {
    await using folder = await createTestFolder();
    const indexFile = await buildFixtureIndex(folder.path);
    const target = join(folder.path, "target");
    await using source = await startTestServer({ indexFile });
    await using server = await startTestServer({ indexFile: target, adminKey: "admin" });
    const data = decodeIndex(await readFile(indexFile));

    const records = await pushIndex({
      data,
      url: server.origin,
      appId: "docs",
      adminKey: "admin",
      indexName: FIXTURE_SEGMENT,
    });
    const [here, there] = await Promise.all(
      [source, server].map((one) => one.search([modalRequest("--isolate-network <b>")])),
    );

    expect(records).toBe(data.meta.recordCount);
    expect(there?.body.results[0].hits).toEqual(here?.body.results[0].hits);
    expect(there?.body.results[0].nbHits).toBeGreaterThan(0);
  });

  test("a push that is refused leaves the served index as it was", async () => {
    await using folder = await createTestFolder();
    const target = join(folder.path, "target");
    const record = toSearchRecord({
      objectID: "1",
      url: "https://x.test/1",
      type: "lvl1",
      hierarchy: { lvl1: "Before" },
    });
    const before = buildIndexData({ indexName: FIXTURE_SEGMENT, records: [record] });
    await writeFileAtomically(target, encodeIndex(before));
    await using server = await startTestServer({ indexFile: target, adminKey: "admin" });
    const data = decodeIndex(await readFile(await buildFixtureIndex(folder.path)));
    const push = pushIndex({ data, url: server.origin, appId: "docs", adminKey: "wrong", indexName: FIXTURE_SEGMENT });

    await expect(push).rejects.toThrow(PushError);
    await expect(push).rejects.toThrow(/403/);
    expect((await server.search([modalRequest("before", { facetFilters: [] })])).body.results[0].nbHits).toBe(1);
  });

  test("a service that is not there is named in the error", async () => {
    const data = buildIndexData({ indexName: "docs", records: [] });
    const push = pushIndex({ data, url: "http://127.0.0.1:9", appId: "a", adminKey: "k", indexName: "docs" });

    await expect(push).rejects.toThrow(/does not answer POST/);
  });
});
