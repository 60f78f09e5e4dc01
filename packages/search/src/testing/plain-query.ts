import type { EngineQuery } from "../engine/search-engine.ts";

/** What the search box asks for, without filters and facets; `text` is to be set. */
export const PLAIN_QUERY: EngineQuery = {
  text: "",
  filter: [],
  facets: [],
  offset: 0,
  limit: 20,
  typoTolerance: true,
  queryType: "prefixLast",
};
