/** Searches: one or many in a request, answered from the cache when the same was asked a moment ago. */
import { randomBytes } from "node:crypto";
import type { SearchEngine } from "../engine/search-engine.ts";
import { BoundedCache } from "../support/bounded-cache.ts";
import { letOthersIn, runInSlices } from "../support/in-slices.ts";
import { mergeParams, parseSearchParams, type SearchParams } from "../wire/search-params.ts";
import { AnswerRoom, writeSearchResult } from "../wire/search-result.ts";
import { WireError } from "../wire/wire-error.ts";

/** The provider allows this many searches in one request. */
export const MAX_REQUESTS_PER_BATCH = 50;
/** Searches that are answered without a pause; the search page's requests have three. */
const SEARCHES_WITHOUT_PAUSE = 3;
/** Facet values in one answer, and the provider's limit. */
const MAX_FACET_HITS = 100;

/** What a search found, for statistics. */
export interface SearchNote {
  readonly index: string;
  readonly query: string;
  readonly total: number;
  readonly queryID: string | undefined;
}

export interface SearchRouteOptions {
  /** @throws {WireError} 404 or 503. */
  readonly findIndex: (name: string) => SearchEngine | Promise<SearchEngine>;
  readonly cacheBytes: number;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

interface CachedAnswer {
  /** The result as JSON without its last brace, so that a query id can be added. */
  readonly open: string;
  readonly total: number;
  readonly cost: number;
}

export class SearchRoute {
  readonly #options: SearchRouteOptions;
  readonly #cache: BoundedCache<CachedAnswer>;

  constructor(options: SearchRouteOptions) {
    this.#options = options;
    this.#cache = new BoundedCache(options.cacheBytes);
  }

  /**
   * The body of a request with many searches, answered in order.
   *
   * @param onSearch Called with what a reader asked: the search page's second and third searches only count facets.
   * @returns JSON text.
   * @throws {WireError}
   */
  async answerBatch(body: unknown, onSearch: (note: SearchNote) => void): Promise<string> {
    const requests = typeof body === "object" && body !== null && "requests" in body ? body.requests : undefined;
    if (!Array.isArray(requests)) throw new WireError(400, "requests must be an array");
    if (requests.length > MAX_REQUESTS_PER_BATCH) {
      throw new WireError(400, `Too many requests in one batch: ${requests.length}, at most ${MAX_REQUESTS_PER_BATCH}`);
    }
    const results: string[] = [];
    const room = new AnswerRoom();
    for (const [at, request] of requests.entries()) {
      if (at >= SEARCHES_WITHOUT_PAUSE) await letOthersIn();
      const fields = mergeParams(request);
      const { indexName } = fields;
      if (typeof indexName !== "string" || indexName === "") throw new WireError(400, "indexName is missing");
      if (fields.type === "facet") {
        results.push(JSON.stringify(await this.answerFacetSearch(indexName, String(fields.facet ?? ""), fields)));
      } else results.push(await this.answer(indexName, fields, at === 0 ? onSearch : undefined, room));
    }
    return `{"results":[${results.join(",")}]}`;
  }

  /**
   * One search.
   *
   * @param room Default: that of a request with this search alone.
   * @returns JSON text of the result.
   */
  async answer(
    indexName: string,
    fields: Readonly<Record<string, unknown>>,
    onSearch?: (note: SearchNote) => void,
    room = new AnswerRoom(),
  ): Promise<string> {
    const engine = await this.#options.findIndex(indexName);
    const params = parseSearchParams(fields, engine.settings);
    const { clickAnalytics, analytics, ...asked } = params;
    const key = JSON.stringify([indexName, engine.version, asked]);
    let answer = this.#cache.get(key);
    if (answer === undefined) {
      const found = await this.#search(indexName, engine, params, room);
      answer = found.answer;
      // The engine may be back for the next reader.
      if (!found.isFallback) this.#cache.set(key, answer);
    } else room.take(answer.open.length);
    const queryID = clickAnalytics ? randomBytes(16).toString("hex") : undefined;
    if (analytics) onSearch?.({ index: indexName, query: params.query, total: answer.total, queryID });
    return queryID === undefined ? `${answer.open}}` : `${answer.open},"queryID":"${queryID}"}`;
  }

  async #search(
    indexName: string,
    engine: SearchEngine,
    params: SearchParams,
    room: AnswerRoom,
  ): Promise<{ readonly answer: CachedAnswer; readonly isFallback: boolean }> {
    const started = this.#options.now();
    const answer = await engine.search(params.engineQuery);
    const processingTimeMS = Math.max(1, Math.round(this.#options.now() - started));
    const context = { index: indexName, settings: engine.settings, processingTimeMS };
    const writing = writeSearchResult(answer, params, context, room);
    const open = (await runInSlices(writing, this.#options.now)).slice(0, -1);
    const { total, isFallback = false } = answer;
    return { answer: { open, total, cost: open.length * 2 + 256 }, isFallback };
  }

  /** Values of one facet that contain a text, most frequent first. */
  async answerFacetSearch(
    indexName: string,
    facet: string,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const engine = await this.#options.findIndex(indexName);
    const started = this.#options.now();
    const { engineQuery } = parseSearchParams({ ...fields, facets: [facet], hitsPerPage: 0 }, engine.settings);
    const { facets, isEstimate = false } = await engine.search(engineQuery);
    const wanted = String(fields.facetQuery ?? "").toLowerCase();
    const facetHits = Object.entries(facets[facet] ?? {})
      .filter(([value]) => value.toLowerCase().includes(wanted))
      .slice(0, MAX_FACET_HITS)
      .map(([value, count]) => ({ value, highlighted: value, count }));
    const processingTimeMS = Math.max(1, Math.round(this.#options.now() - started));
    return { facetHits, exhaustiveFacetsCount: !isEstimate, processingTimeMS };
  }
}
