/** OpenSearch for real: three nodes, one lost, one slow, a full disk, and an index that is replaced while readers search. */
import { readFile } from "node:fs/promises";
import { findOpenSearchObstacle, findRepositoryRoot, OpenSearchNodes, runCommand, waitFor } from "@toolhive/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildIndexData } from "../src/engine/index/build-index-data.ts";
import { decodeIndex, type IndexData } from "../src/engine/index/index-format.ts";
import { OwnEngine } from "../src/engine/memory/memory-engine.ts";
import { replaceOpenSearchIndex } from "../src/engine/opensearch/index-upload.ts";
import { OpenSearchEngine } from "../src/engine/opensearch/opensearch-engine.ts";
import type { EngineQuery } from "../src/engine/search-engine.ts";
import { toSearchRecord } from "../src/records/search-record.ts";
import { describeSearchEngineContract } from "../src/testing/engine-contract.ts";
import { FIXTURE_SEGMENT } from "../src/testing/fixture-site.ts";
import { PLAIN_QUERY } from "../src/testing/plain-query.ts";
import graded from "../src/testing/relevance-queries.json" with { type: "json" };
import { buildFixtureIndex, createTestFolder, modalRequest, startTestServer } from "../src/testing/search-server.ts";

const obstacle = await findOpenSearchObstacle();
const title = obstacle === undefined ? "OpenSearch" : `OpenSearch (not run: ${obstacle})`;
/** Three shards on three nodes, each of them twice: every node that is lost holds some of them. */
const SHAPE = { shards: 3, replicas: 1 };
/** Longer than a search may last in service: what is tested is which answers come, not how soon. */
const DEADLINE_MS = 60_000;

const QUERY: EngineQuery = { ...PLAIN_QUERY, text: "server" };

/** One page whose title says which edition of the site it is of. */
function createEdition(edition: number): IndexData {
  const records = Array.from({ length: 3 }, (_none, page) =>
    toSearchRecord({
      objectID: String(page),
      url: `https://docs.test/${page}`,
      type: "lvl1",
      hierarchy: { lvl1: `Edition${edition} of topic ${page}` },
      docusaurus_tag: "default",
      language: "en",
    }),
  );
  return buildIndexData({ indexName: FIXTURE_SEGMENT, records });
}

describe.skipIf(obstacle !== undefined)(title, () => {
  let cluster: OpenSearchNodes;
  let fixture: IndexData;
  const engines: OpenSearchEngine[] = [];
  const connect = (alias: string, deadlineMs = DEADLINE_MS): OpenSearchEngine => {
    const engine = new OpenSearchEngine({ urls: cluster.urls, alias, deadlineMs, watchIntervalMs: 50 });
    engines.push(engine);
    return engine;
  };
  const replace = async (alias: string, data: IndexData) =>
    await replaceOpenSearchIndex(data, { urls: cluster.urls, alias, ...SHAPE });
  const ask = async (path: string, body?: object, method = "PUT"): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    const sent = body === undefined ? {} : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${cluster.urls[0]}${path}`, sent);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  /** Until every shard has its copies again. */
  const untilGreen = async () => {
    await ask(
      "/_cluster/health?wait_for_status=green&wait_for_nodes=3&wait_for_no_relocating_shards=true&timeout=120s",
    );
  };

  beforeAll(async () => {
    cluster = await OpenSearchNodes.start({ count: 3 });
    await using folder = await createTestFolder();
    fixture = decodeIndex(await readFile(await buildFixtureIndex(folder.path)));
    await replace("fixture", fixture);
  });
  afterAll(async () => {
    for (const engine of engines) engine[Symbol.dispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  describe("keeps the contract of engines", () => {
    let engine: OpenSearchEngine;
    beforeAll(() => {
      engine = connect("fixture");
    });
    describeSearchEngineContract(() => engine);
  });

  test("has the shards and copies that were asked for", async () => {
    const settings = Object.values((await ask("/fixture/_settings")) as object) as {
      settings: { index: { number_of_shards: string; number_of_replicas: string } };
    }[];

    expect(settings[0]?.settings.index).toMatchObject({ number_of_shards: "3", number_of_replicas: "1" });
  });

  test("answers every graded query with the five records that our own index answers first", async () => {
    const own = new OwnEngine({ data: fixture });
    const engine = connect("fixture");
    const listFirst = ({ hits }: Awaited<ReturnType<typeof engine.search>>) =>
      hits.slice(0, 5).map(({ record }) => record.objectID);
    const answers: Record<string, readonly string[]> = {};
    for (const { query } of graded.queries) answers[query] = listFirst(await engine.search({ ...QUERY, text: query }));

    expect(answers).toEqual(
      Object.fromEntries(graded.queries.map(({ query }) => [query, listFirst(own.search({ ...QUERY, text: query }))])),
    );
  });

  test.each(["", "netw iso", "secr", '"network isolation"', "podTemplateSpec", "proxy_port", "netwrok", "thv run"])(
    "answers %j with as many hits as our own index, and the same first ones",
    async (text) => {
      const own = new OwnEngine({ data: fixture }).search({ ...QUERY, text, facets: ["language"] });
      const answer = await connect("fixture").search({ ...QUERY, text, facets: ["language"] });
      const listUrls = ({ hits }: typeof answer) => hits.map(({ record }) => record.url).slice(0, 10);

      expect(listUrls(answer)).toEqual(listUrls(own));
      expect(answer.total).toBe(own.total);
      expect(answer.facets).toEqual(own.facets);
    },
  );

  test("names the words that no page has, with the nearest that some have", async () => {
    const text = "qqzzyyxx secrets";
    const own = new OwnEngine({ data: fixture }).search({ ...QUERY, text });

    expect((await connect("fixture").search({ ...QUERY, text })).unknown).toEqual(own.unknown);
    expect(own.unknown).not.toEqual([]);
  });

  test("has no hits behind the last page, and no error", async () => {
    const engine = connect("fixture");

    for (const text of ["server", ""]) {
      const { hits, total } = await engine.search({ ...QUERY, text, offset: 12_000 });
      expect([hits.length, total > 0]).toEqual([0, true]);
    }
  });

  test.each([
    "a b c d e f g h i j k l m n o p q r s t u v w x y z ".repeat(10),
    "se ne ma co to pr re un in de ".repeat(17),
    `"${"server tools ".repeat(38)}"`,
    "x".repeat(512),
    "\u0000\ud800 \\ { } [ ] * ? ~ ( ) : / AND OR NOT <b> ' \"".repeat(8),
  ])("answers a query that is as hard as one may be: %#", async (text) => {
    const { hits } = await connect("fixture").search({ ...QUERY, text, limit: 1_000, facets: ["*"] });

    expect(hits.length).toBeLessThanOrEqual(1_000);
  });

  test("an index is replaced under load without a missing or a stale answer", async () => {
    await replace("edition", createEdition(0));
    await using folder = await createTestFolder();
    const indexFile = await buildFixtureIndex(folder.path);
    const problems: string[] = [];
    const note = (fields: unknown, message: string) => void problems.push(`${message} ${JSON.stringify(fields)}`);
    const log = { info: () => undefined, warn: note, error: note };
    await using server = await startTestServer({ indexFile, engine: connect("edition"), log });
    let written = 0;
    let isOver = false;
    let answers = 0;
    const read = async () => {
      while (!isOver) {
        const atLeast = written;
        // Half of the readers ask for something that was not asked before: no memory of answers helps or hides.
        const query = answers % 2 === 0 ? "topic" : `topic ${answers}`;
        const { status, body } = await server.search([modalRequest(query)]);
        const [hit] = body.results?.[0]?.hits ?? [];
        const edition = Number(/Edition(?:<[^>]*>)?(\d+)/.exec(hit?.hierarchy?.lvl1 ?? "")?.[1] ?? Number.NaN);
        if (status !== 200 || body.results[0].fallback !== undefined || !(edition >= atLeast)) {
          problems.push(`${status} ${JSON.stringify(body).slice(0, 300)} where ${atLeast} was the least`);
        }
        answers += 1;
      }
    };
    const readers = Array.from({ length: 4 }, read);

    const isServed = async (edition: number) => {
      const { body } = await server.search([modalRequest("topic")]);
      return problems.length > 0 || body.results[0].hits[0]?.hierarchy.lvl1.startsWith(`Edition${edition}`);
    };
    for (let edition = 1; edition <= 5; edition++) {
      await replace("edition", createEdition(edition));
      // Other processes read the alias now and then: from here on they know.
      await waitFor(async () => await isServed(edition), { what: `edition ${edition} to be served` });
      written = edition;
    }
    isOver = true;
    await Promise.all(readers);

    expect(problems.slice(0, 3)).toEqual([]);
    expect(answers).toBeGreaterThan(20);
    const names = Object.keys((await ask("/_alias")) as object).filter((name) => name.startsWith("edition-"));
    expect(names).toHaveLength(1);
  });

  test("a disk that is full leaves the index before it, says why, and what it began is gone", async () => {
    const engine = connect("fixture");
    const before = await engine.search(QUERY);
    const limits = (value: string | null) => {
      const stages = ["low", "high", "flood_stage"];
      const settings = stages.map((stage) => [`cluster.routing.allocation.disk.watermark.${stage}`, value]);
      return { transient: Object.fromEntries(settings) };
    };
    await ask("/_cluster/settings", limits("1000tb"));
    try {
      // As text, because the report of an error that does not match leaves most of its message out.
      const refusal = await replace("fixture", fixture).then(() => "it was replaced", String);
      expect(refusal).toMatch(/(has no room for the index|disks are full).*The alias fixture is as it was$/s);
    } finally {
      await ask("/_cluster/settings", limits(null));
    }

    expect((await engine.search(QUERY)).total).toBe(before.total);
    const names = Object.keys((await ask("/_alias")) as object).filter((name) => name.startsWith("fixture-"));
    expect(names).toHaveLength(1);
    // The cluster would lift its blocks by itself when it checks its disks again, in half a minute.
    await ask("/_all/_settings", { "index.blocks.read_only_allow_delete": null });
    await ask("/_cluster/settings", { persistent: { "cluster.blocks.create_index": null } });
    await untilGreen();
  });

  test("search:push fills the cluster that the site's settings name", async () => {
    await using folder = await createTestFolder();
    const env = { ...process.env, SEARCH_OPENSEARCH_URLS: cluster.urls.join(","), SEARCH_OPENSEARCH_ALIAS: "pushed" };
    const index = ["--index", await buildFixtureIndex(folder.path)];
    const push = async (...args: string[]) =>
      await runCommand("npm", ["run", "--silent", "push", "-w", "@toolhive/search", "--", ...index, ...args], {
        cwd: findRepositoryRoot(),
        env,
      });

    const refused = await push("--opensearch", "--shards", "many");
    const pushed = await push("--opensearch", "--shards", "2", "--replicas", "0");

    expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining('--shards is "many": use a number')]);
    expect([pushed.code, pushed.stderr]).toEqual([0, ""]);
    expect(pushed.stdout).toMatch(/^\d+ pages with \d+ records are served as pushed\n$/);
    expect((await connect("pushed").search(QUERY)).hits.length).toBe(20);
  });

  test("an alias without an index says how to fill it", async () => {
    await expect(connect("nothing").search(QUERY)).rejects.toThrow("fill it with search:push --opensearch");
  });

  test("a node that hangs costs no reader an answer, and is used again afterwards", async () => {
    await using folder = await createTestFolder();
    const indexFile = await buildFixtureIndex(folder.path);
    await using server = await startTestServer({ indexFile, engine: connect("fixture", 1_000) });
    const [, , hanging] = cluster.nodes;
    hanging?.signal("SIGSTOP");
    const statuses = new Set<number>();
    const counts = new Set<number>();
    try {
      for (let at = 0; at < 30; at++) {
        const { status, body } = await server.search([modalRequest(`server ${at}`)]);
        statuses.add(status);
        counts.add(body.results[0].hits.length);
      }
    } finally {
      hanging?.signal("SIGCONT");
    }

    expect([...statuses]).toEqual([200]);
    expect(counts.has(0)).toBe(false);
    await waitFor(async () => (await server.search([modalRequest("server")])).body.results[0].fallback === undefined, {
      what: "the cluster to answer again",
      deadlineMs: 90_000,
    });
    await untilGreen();
  });

  test("a node that is lost costs no reader an answer, whichever it was", async () => {
    await using folder = await createTestFolder();
    const indexFile = await buildFixtureIndex(folder.path);
    await using server = await startTestServer({ indexFile, engine: connect("fixture") });
    const search = async (at: number) => {
      const { status, body } = await server.search([modalRequest(`server ${at}`)]);
      return status === 200 && body.results[0].hits.length > 0 && body.results[0].fallback === undefined;
    };
    expect(await search(0)).toBe(true);

    // The first one: it leads the cluster, and its address comes first.
    cluster.nodes[0]?.signal("SIGKILL");
    const answers = await Promise.all(Array.from({ length: 40 }, (_none, at) => search(at + 1)));

    expect(answers.filter((isWhole) => !isWhole)).toEqual([]);
  });
});
