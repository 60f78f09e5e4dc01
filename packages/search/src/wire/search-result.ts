/** The answer to one search as the clients read it, written as JSON. */
import type { IndexSettings } from "../engine/index-settings.ts";
import type { EngineAnswer } from "../engine/search-engine.ts";
import { HitWriter } from "./hit-writer.ts";
import type { SearchParams } from "./search-params.ts";

export interface ResultContext {
  readonly index: string;
  readonly settings: IndexSettings;
  readonly processingTimeMS: number;
}

export function writeSearchResult(
  answer: EngineAnswer,
  params: SearchParams,
  { index, settings, processingTimeMS }: ResultContext,
): string {
  const reachable = Math.min(answer.total, settings.paginationLimitedTo);
  const withFacets = params.engineQuery.facets.length > 0;
  const writer = new HitWriter(answer, params);
  const about = JSON.stringify({
    nbHits: answer.total,
    page: params.page,
    nbPages: params.hitsPerPage === 0 ? 0 : Math.ceil(reachable / params.hitsPerPage),
    hitsPerPage: params.hitsPerPage,
    // Byte for byte what was asked: the search page drops answers to anything else.
    query: params.query,
    index,
    processingTimeMS,
    exhaustiveNbHits: true,
    exhaustiveTypo: true,
    exhaustive: { nbHits: true, typo: true, ...(withFacets ? { facetsCount: true } : {}) },
    ...(withFacets ? { facets: answer.facets, exhaustiveFacetsCount: true } : {}),
    renderingContent: {},
  });
  return `{"hits":[${answer.hits.map(({ record }) => writer.write(record)).join(",")}],${about.slice(1)}`;
}
