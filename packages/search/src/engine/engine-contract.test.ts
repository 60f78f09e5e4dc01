import { beforeAll, describe } from "vitest";
import { readSite } from "../records/read-site.ts";
import type { SearchRecord } from "../records/search-record.ts";
import { describeSearchEngineContract } from "../testing/engine-contract.ts";
import { FIXTURE_SITE_URL, writeFixtureSite } from "../testing/fixture-site.ts";
import { createTestFolder } from "../testing/search-server.ts";
import { buildIndexData } from "./index/build-index-data.ts";
import { OwnEngine } from "./memory/memory-engine.ts";

async function fixtureRecords(): Promise<SearchRecord[]> {
  await using folder = await createTestFolder();
  await writeFixtureSite(folder.path);
  return await readSite({ siteDir: folder.path, siteUrl: FIXTURE_SITE_URL });
}

describe("our own engine keeps the contract", () => {
  let engine: OwnEngine;
  beforeAll(async () => {
    engine = new OwnEngine({ data: buildIndexData({ indexName: "docs", records: await fixtureRecords() }) });
  });
  describeSearchEngineContract(() => engine);
});
