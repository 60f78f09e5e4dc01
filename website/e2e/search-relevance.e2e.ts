/**
 * How well the service answers the graded queries on the pages as they are built, as the modal asks. Gates against
 * regressions, a little below what is reached: see `docs/decisions/0039-three-independent-sets.md`
 * and `0094-sets-by-another-hand.md`.
 */

import {
  type GradedQuery,
  measureRelevance,
  OWN_QUERIES,
  PUBLIC_QUERIES,
  READERS_QUERIES,
  TUNING_QUERIES,
} from "@toolhive/search/testing";
import { askSearch } from "./support/ask-search.ts";
import { expect, test } from "./support/site.ts";

const SETS: readonly [name: string, queries: readonly GradedQuery[], floors: Readonly<Record<string, number>>][] = [
  ["public", PUBLIC_QUERIES, { ndcg10: 0.925, success1: 0.945, success5: 1 }],
  ["second", OWN_QUERIES, { ndcg10: 0.895, success1: 0.945, success5: 0.98 }],
  ["tuning", TUNING_QUERIES, { ndcg10: 0.865, success1: 0.93, success5: 0.98, section: 0.85 }],
  ["readers'", READERS_QUERIES, { ndcg10: 0.855, success1: 0.89, success5: 0.975, section: 0.84 }],
];

for (const [name, queries, floors] of SETS) {
  test(`the ${name} set of graded queries is answered about as well as when it was last measured`, async () => {
    const reached = await measureRelevance(queries, askSearch, "toolhive");

    expect(reached.none).toBe(0);
    for (const [metric, floor] of Object.entries(floors)) {
      expect(reached[metric as keyof typeof reached], metric).toBeGreaterThanOrEqual(floor);
    }
  });
}
