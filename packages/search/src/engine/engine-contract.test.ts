import { beforeAll, describe } from "vitest";
import { readSite } from "../records/read-site.ts";
import type { SearchRecord } from "../records/search-record.ts";
import { describeSearchEngineContract } from "../testing/engine-contract.ts";
import { FIXTURE_SITE_URL, writeFixtureSite } from "../testing/fixture-site.ts";
import { createTestFolder } from "../testing/search-server.ts";
import { buildIndexData } from "./index/build-index-data.ts";
import { OwnEngine } from "./memory/memory-engine.ts";
import { OpenSearchEngine } from "./opensearch/opensearch-engine.ts";

async function fixtureRecords(): Promise<SearchRecord[]> {
  await using folder = await createTestFolder();
  await writeFixtureSite(folder.path);
  return await readSite({ siteDir: folder.path, siteUrl: FIXTURE_SITE_URL });
}

async function isReachable(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

const openSearchUrl = process.env.OPENSEARCH_URL ?? "";
const whyNot =
  openSearchUrl === ""
    ? "OPENSEARCH_URL is not set"
    : (await isReachable(openSearchUrl))
      ? ""
      : "the address in OPENSEARCH_URL does not answer";

describe("our own engine keeps the contract", () => {
  let engine: OwnEngine;
  beforeAll(async () => {
    engine = new OwnEngine({ data: buildIndexData({ indexName: "docs", records: await fixtureRecords() }) });
  });
  describeSearchEngineContract(() => engine);
});

describe.skipIf(whyNot !== "")(`OpenSearch keeps the contract${whyNot === "" ? "" : ` (not run: ${whyNot})`}`, () => {
  const engine = new OpenSearchEngine({
    url: openSearchUrl || "http://127.0.0.1:9200",
    alias: `contract-${process.pid}`,
    timeoutMs: 10_000,
  });
  beforeAll(async () => engine.replaceAll(await fixtureRecords()), 60_000);
  describeSearchEngineContract(() => engine);
});
