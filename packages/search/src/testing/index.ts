/** What tests of the built site need: queries with graded pages, and the score of an answer. */

import type { GradedQuery } from "./relevance.ts";
import publicSet from "./relevance-queries.json" with { type: "json" };
import readersSet from "./relevance-readers-queries.json" with { type: "json" };
import ownSet from "./relevance-site-queries.json" with { type: "json" };
import tuningSet from "./relevance-tuning-queries.json" with { type: "json" };

export { type GradedQuery, measureRelevance } from "./relevance.ts";

export const PUBLIC_QUERIES = publicSet.queries;
export const OWN_QUERIES = ownSet.queries;
/** With sections; numbers of the ranking are chosen on it, and on no other. */
export const TUNING_QUERIES: readonly GradedQuery[] = tuningSet.queries;
export const READERS_QUERIES: readonly GradedQuery[] = readersSet.queries;
