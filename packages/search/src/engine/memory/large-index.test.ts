/** What bounds the work of a search on a large index must not be seen in its answers. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { EMPTY_HIERARCHY, toSearchRecord } from "../../records/search-record.ts";
import { buildIndexData } from "../index/build-index-data.ts";
import type { EngineAnswer, EngineQuery } from "../search-engine.ts";
import { bestPlaces } from "./best-places.ts";
import { OwnEngine } from "./memory-engine.ts";
import { MANY_PAGES, MANY_POSTINGS, MAX_POSTINGS_OF_EXPANSION } from "./ranking.ts";

/** More than the bounds of both: pages that are many, and a word on more records than are many. */
const PAGES = MANY_PAGES + 300;
const SECTIONS = Math.ceil((MAX_POSTINGS_OF_EXPANSION + MANY_POSTINGS) / PAGES);
/** Every page says "container" and "topic"; page 7 is the only one that is about containers. */
const ABOUT = 7;

let engine: OwnEngine;

function ask(text: string, changes: Partial<EngineQuery> = {}): EngineAnswer {
  const fixed = { text, filter: [], facets: [], offset: 0, limit: 20, typoTolerance: true } as const;
  return engine.search({ ...fixed, queryType: "prefixLast", ...changes });
}

beforeAll(() => {
  const records = Array.from({ length: PAGES }, (_, page) => {
    const url = `https://docs.example.org/${page}`;
    const title = page === ABOUT ? "Zebra container" : `Zebra number${page}`;
    const hierarchy = { ...EMPTY_HIERARCHY, lvl0: "Docs", lvl1: title };
    const sections = Array.from({ length: SECTIONS }, (_, at) =>
      toSearchRecord({
        objectID: `${url}-${at}`,
        url: `${url}#${at}`,
        type: "content",
        content: "a container topic",
        hierarchy,
      }),
    );
    return [toSearchRecord({ objectID: url, url, type: "lvl1", hierarchy }), ...sections];
  }).flat();
  engine = new OwnEngine({ data: buildIndexData({ indexName: "large", records }) });
});

describe("a large index", () => {
  test("a word that is everywhere still decides among pages that a rarer word names", () => {
    const { hits, total } = ask("zebra container");

    expect(hits[0]?.record.hierarchy.lvl1).toBe("Zebra container");
    // Every section of every page has both, by its title; the titles themselves only where they name both, or as their page's own.
    expect(total).toBe(PAGES * (SECTIONS + 1));
  });

  test("a rare word is found beside one that is everywhere", () => {
    expect(ask("container number1234").hits[0]?.record.url).toMatch(/\/1234(#|$)/);
  });

  test("a word that is everywhere is found alone, whole or by its beginning", () => {
    expect(ask("container").hits[0]?.record.hierarchy.lvl1).toBe("Zebra container");
    expect(ask("zeb").hits).toHaveLength(20);
  });

  test("paging reaches hits far behind those that are ranked closely, each once", () => {
    const urls = new Set<string>();
    for (let offset = 0; offset < 1_000; offset += 20) {
      for (const { record } of ask("zebra", { offset }).hits) urls.add(record.url);
    }

    expect(urls.size).toBe(1_000);
  });

  test("a facet is counted over all hits, also those that are not shown", () => {
    const { facets, total } = ask("zebra container", { facets: ["type"] });

    expect(Object.values(facets.type ?? {}).reduce((sum, count) => sum + count, 0)).toBe(total);
  });
});

describe("bestPlaces", () => {
  test("finds what sorting everything finds", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 30 }),
        (values, limit) => {
          const sorted = [...values.keys()].sort((a, b) => (values[b] as number) - (values[a] as number) || a - b);

          expect(bestPlaces(Float64Array.from(values), limit).sort((a, b) => a - b)).toEqual(
            sorted.slice(0, limit).sort((a, b) => a - b),
          );
        },
      ),
    );
  });
});
