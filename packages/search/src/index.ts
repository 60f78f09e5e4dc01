/** The site's search: an index made from built pages, and a service that speaks the hosted provider's protocol. */

export { type OpenSearchTarget, replaceOpenSearchIndex } from "./engine/opensearch/index-upload.ts";
export { OpenSearchError } from "./engine/opensearch/open-search-error.ts";
export { OpenSearchEngine, type OpenSearchEngineOptions } from "./engine/opensearch/opensearch-engine.ts";
export { type OpenSearchSettings, readOpenSearchSettings } from "./engine/opensearch/settings.ts";
export type { EngineAnswer, EngineQuery, SearchEngine } from "./engine/search-engine.ts";
export {
  type BuildIndexOptions,
  type BuildIndexResult,
  buildIndex,
  type WriteIndexOptions,
  writeIndex,
} from "./indexing/build-index.ts";
export { readAttribute } from "./records/html-tree.ts";
export { SiteRecords } from "./records/read-site.ts";
export { isPageChrome } from "./records/walk-article.ts";
export type { RateLimit } from "./service/rate-limiter.ts";
export {
  type Charge,
  createSearchService,
  type SearchService,
  type SearchServiceOptions,
} from "./service/search-service.ts";
export type { SearchLog } from "./support/search-log.ts";
export { WireError } from "./wire/wire-error.ts";
