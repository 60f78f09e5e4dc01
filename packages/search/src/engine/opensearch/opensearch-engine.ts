/**
 * OpenSearch behind the engine's interface, for sites beyond what one process holds. The cluster finds the pages that have the
 * words; the best of them are ranked by our own engine, from their parts of our own index, with the rarity of words counted by
 * the cluster over all pages. See `docs/decisions/0033-opensearch-finds-pages.md`.
 */
import { setTimeout } from "node:timers/promises";
import { BoundedCache } from "../../support/bounded-cache.ts";
import { decodeIndex } from "../index/index-format.ts";
import { DEFAULT_SETTINGS, type IndexSettings, withDefaults } from "../index-settings.ts";
import { AskedWords, createLexicon, type Lexicon, prepareQuery } from "../memory/asked-words.ts";
import { type Candidate, takeTurns } from "../memory/candidates.ts";
import { ENOUGH_PAGES, RANK_FACTOR } from "../memory/ranking.ts";
import { parseQueryWords, type QueryWord } from "../query-words.ts";
import type { EngineAnswer, EngineQuery, SearchEngine } from "../search-engine.ts";
import { Cluster } from "./cluster.ts";
import { OpenSearchError } from "./open-search-error.ts";
import { type CorpusMeta, DOCUMENT_FORMAT, vocabularyId } from "./page-documents.ts";
import { type PageAnswer, PageIndex } from "./page-index.ts";
import { toBrowseSearch, toPageSearch } from "./page-query.ts";

export interface OpenSearchEngineOptions {
  /** Addresses of the cluster's nodes, `https://user:password@host:9200` or without credentials. */
  readonly urls: readonly string[];
  /** An alias; uploads make a new index and move the alias to it. */
  readonly alias: string;
  /** For one request, in milliseconds. Default 2000: the site's client gives up then. */
  readonly deadlineMs?: number;
  /** Milliseconds between two checks of the alias; 0: only when a search finds its index removed. Default 1000. */
  readonly watchIntervalMs?: number;
  /** Memory for pages that were ranked, in bytes. Default 64 MiB. */
  readonly cacheBytes?: number;
}

/**
 * Pages that are ranked by our own engine; those after them stay in the cluster's order. Of 530 queries and beginnings of queries on
 * the documentation's site, 2 have other first hits than in the embedded engine.
 */
const RANKED_PAGES = 80;
/** Pages that one answer examines, however many hits are requested. */
const MAX_PAGES = 200;
/** No hits after this one, as with the hosted provider. */
const MAX_OFFSET = 1_000;
/** An index that is replaced again and again, or a cluster that has just lost a node. */
const MAX_ATTEMPTS = 7;
/** Before the second attempt, in milliseconds, and doubled before each further one: nodes learn of a change one after the other. */
const FIRST_PAUSE_MS = 10;

/** The index was removed, or a part of it did not answer: another attempt may succeed. */
class IncompleteError extends OpenSearchError {}

/** The index that the alias leads to, with what must be known of the whole. */
interface Corpus {
  readonly index: string;
  readonly meta: CorpusMeta;
  readonly lexicon: Lexicon;
}

interface VocabularyAnswer {
  readonly _source: { readonly terms: string; readonly counts: readonly number[] };
}

interface PageSearchAnswer {
  readonly _shards: { readonly failed: number; readonly total: number };
  readonly hits: {
    readonly total: { readonly value: number };
    readonly hits: readonly { readonly _id: string; readonly _score: number | null }[];
  };
  readonly aggregations?: Readonly<Record<string, { readonly doc_count: number }>> & {
    readonly facets?: { readonly buckets: readonly { readonly key: string; readonly doc_count: number }[] };
  };
}

interface RankedPage {
  /** In the whole index. */
  readonly number: number;
  readonly page: PageIndex;
  readonly answer: PageAnswer;
}

/** What the cluster and our own engine found for some words. */
interface Found {
  readonly asked: AskedWords;
  /** Best first. */
  readonly pages: readonly RankedPage[];
  /** The words that some page has, a bit for each. */
  readonly mask: number;
  readonly fullPages: number;
  readonly total: number;
  readonly facets: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly isEstimate: boolean;
}

export class OpenSearchEngine implements SearchEngine, Disposable {
  readonly name = "opensearch";
  readonly #cluster: Cluster;
  readonly #alias: string;
  readonly #pages: BoundedCache<{ readonly page: PageIndex; readonly cost: number }>;
  readonly #timer: NodeJS.Timeout | undefined;
  #corpus: Corpus | undefined;
  #loading: Promise<Corpus> | undefined;

  /** @throws {OpenSearchError} when an address is none. */
  constructor({
    urls,
    alias,
    deadlineMs,
    watchIntervalMs = 1_000,
    cacheBytes = 64 * 2 ** 20,
  }: OpenSearchEngineOptions) {
    this.#cluster = new Cluster({ urls, ...(deadlineMs === undefined ? {} : { deadlineMs }) });
    this.#alias = alias;
    this.#pages = new BoundedCache(cacheBytes);
    if (watchIntervalMs > 0) {
      // Not while there are no searches: the first search loads the index.
      const look = (): void => {
        if (this.#corpus !== undefined) this.#load().catch(() => undefined);
      };
      this.#timer = setInterval(look, watchIntervalMs).unref();
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  get version(): string {
    return this.#corpus?.index ?? "";
  }

  get settings(): IndexSettings {
    return this.#corpus?.lexicon.settings ?? DEFAULT_SETTINGS;
  }

  /** @throws {OpenSearchError} when the cluster refuses, fails or does not answer in time. */
  async search(asked: EngineQuery): Promise<EngineAnswer> {
    for (let attempt = 1; ; attempt++) {
      try {
        const corpus = attempt === 1 && this.#corpus !== undefined ? this.#corpus : await this.#load();
        return await this.#searchIn(corpus, prepareQuery(asked, corpus.lexicon));
      } catch (error) {
        // An upload has replaced the index since, and its successor answers; or a node was lost, and another has its copy.
        if (!(error instanceof IncompleteError) || attempt === MAX_ATTEMPTS) throw error;
        await setTimeout(FIRST_PAUSE_MS * 2 ** (attempt - 1));
      }
    }
  }

  /** Follows the alias; many searches wait for one check. */
  #load(): Promise<Corpus> {
    this.#loading ??= this.#readCorpus().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #readCorpus(): Promise<Corpus> {
    const aliases = await this.#cluster.request({ method: "GET", path: `/_alias/${this.#alias}`, isMissingFine: true });
    const index = Object.keys((aliases ?? {}) as object)[0];
    if (index === undefined) {
      throw new OpenSearchError(
        `OpenSearch has no index behind the alias ${this.#alias}: fill it with search:push --opensearch`,
      );
    }
    if (this.#corpus?.index === index) return this.#corpus;
    const mapping = await this.#read(index, "_mapping");
    const meta = (mapping as Record<string, { mappings?: { _meta?: CorpusMeta } }>)[index]?.mappings?._meta;
    if (meta?.format !== DOCUMENT_FORMAT) {
      throw new OpenSearchError(
        `The index ${index} is of another version of this program: fill it again with search:push`,
      );
    }
    const terms: string[] = [];
    const counts: number[] = [];
    for (let chunk = 0; chunk < meta.vocabularyChunks; chunk++) {
      const { _source } = (await this.#read(index, `_doc/${vocabularyId(chunk)}`)) as VocabularyAnswer;
      terms.push(..._source.terms.split("\n"));
      counts.push(..._source.counts);
    }
    const frequencies = Uint32Array.from(counts);
    const { settings } = withDefaults(meta.settings);
    const lexicon = createLexicon(terms, settings, (term) => frequencies[term] as number, meta.commands);
    this.#corpus = { index, meta, lexicon };
    return this.#corpus;
  }

  /** @throws {IncompleteError} when the index was removed. */
  async #read(index: string, what: string): Promise<unknown> {
    const answer = await this.#cluster.request({ method: "GET", path: `/${index}/${what}`, isMissingFine: true });
    if (answer === undefined) throw new IncompleteError(`The index ${index} is gone`);
    return answer;
  }

  /** @throws {IncompleteError} when the index was removed or parts of it do not answer. */
  async #searchIn(corpus: Corpus, query: EngineQuery): Promise<EngineAnswer> {
    const words = parseQueryWords(query.text, query.queryType);
    if (words.length === 0) return query.text.trim() === "" ? this.#browse(corpus, query) : NOTHING;
    const first = await this.#find(corpus, words, query, false);
    if (first.fullPages > 0 || !query.typoTolerance) return toAnswer(first, query);
    // As our own engine: nothing has every word, so perhaps one is a mistake that happens to be a word as well.
    const widened = await this.#find(corpus, words, query, true);
    return toAnswer(widened.fullPages > 0 || first.total === 0 ? widened : first, query);
  }

  async #find(corpus: Corpus, words: readonly QueryWord[], query: EngineQuery, widen: boolean): Promise<Found> {
    const { lexicon, meta } = corpus;
    const asked = new AskedWords(words, query, lexicon, widen);
    const { terms } = lexicon.vocabulary;
    const wanted = query.offset + query.limit;
    const answer = await this.#ask(
      corpus,
      toPageSearch({
        alternatives: asked.alternatives,
        terms,
        filter: query.filter,
        rankFactor: RANK_FACTOR[asked.kind],
        maxRank: meta.maxRank,
        size: Math.min(MAX_PAGES, Math.max(RANKED_PAGES, wanted)),
      }),
    );
    const readCount = (name: string): number => answer.aggregations?.[name]?.doc_count ?? 0;
    const pagesWith = words.map((_, word) => readCount(`word${word}`));
    const mask = pagesWith.reduce((bits, pages, word) => (pages > 0 ? bits | (1 << word) : bits), 0);
    const fullPages = readCount("every");
    const isFull = fullPages >= ENOUGH_PAGES || words.length === 1;
    const candidates = isFull ? fullPages : answer.hits.total.value;
    const nothing = { asked, pages: [], mask, fullPages, total: 0, facets: {}, isEstimate: false };
    if (candidates === 0 || asked.isFiller(mask)) return nothing;

    const ids = answer.hits.hits.map(({ _id }) => _id);
    const pages = await this.#fetchPages(corpus, ids);
    const ranked = pages.flatMap((page, at): RankedPage[] => {
      const found = page.search({
        kind: asked.kind,
        saysProblem: asked.saysProblem,
        alternatives: asked.alternatives,
        terms,
        filter: query.filter,
        sizes: asked.sizes,
        weights: asked.weights,
        querySum: asked.querySum,
        statistics: { pageCount: meta.pageCount, pagesWith },
        wanted: Math.max(1, wanted),
        facets: query.facets,
      });
      return found === undefined || (isFull && !found.hasEveryWord)
        ? []
        : [{ number: Number(ids[at]), page, answer: found }];
    });
    const inOrder = (a: RankedPage, b: RankedPage) => b.answer.score - a.answer.score || a.number - b.number;
    const best = ranked.slice(0, RANKED_PAGES).sort(inOrder);
    const isEstimate = candidates > answer.hits.hits.length;
    const factor = isEstimate ? candidates / Math.max(1, answer.hits.hits.length) : 1;
    return {
      ...nothing,
      pages: [...best, ...ranked.slice(RANKED_PAGES)],
      total: Math.round(factor * ranked.reduce((sum, { answer: { total } }) => sum + total, 0)),
      facets: sumFacets(
        ranked.map(({ answer: { facets } }) => facets),
        factor,
      ),
      isEstimate,
    };
  }

  /** A query of blanks asks for everything. */
  async #browse(corpus: Corpus, query: EngineQuery): Promise<EngineAnswer> {
    const offset = Math.min(query.offset, MAX_OFFSET);
    const limit = Math.min(query.limit, MAX_OFFSET - offset);
    const answer = await this.#ask(corpus, toBrowseSearch(query.filter, offset, limit, query.facets.length > 0));
    const pages = await this.#fetchPages(
      corpus,
      answer.hits.hits.map(({ _id }) => _id),
    );
    const hits = pages.flatMap((page) => {
      const record = page.headRecord(query.filter);
      return record === undefined ? [] : [{ record, score: 0 }];
    });
    return { ...NOTHING, hits, total: answer.hits.total.value, facets: readFacets(answer, query.facets) };
  }

  async #ask({ index }: Corpus, body: object): Promise<PageSearchAnswer> {
    const request = { method: "POST", path: `/${index}/_search`, body, isMissingFine: true } as const;
    const answer = (await this.#cluster.request(request)) as PageSearchAnswer | undefined;
    if (answer === undefined) throw new IncompleteError(`The index ${index} is gone`);
    const { failed, total } = answer._shards;
    // The cluster answers with what the other shards have found, as if that were everything.
    if (failed > 0) throw new IncompleteError(`${failed} of ${total} shards of the index ${index} did not answer`);
    return answer;
  }

  /** The parts of pages, in the order of their ids; from memory where they were ranked a moment ago. */
  async #fetchPages({ index, meta }: Corpus, ids: readonly string[]): Promise<PageIndex[]> {
    const found = new Map<string, PageIndex>();
    for (const id of ids) {
      const known = this.#pages.get(`${index}/${id}`);
      if (known !== undefined) found.set(id, known.page);
    }
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length > 0) {
      const path = `/${index}/_mget?_source_includes=index`;
      const answer = (await this.#cluster.request({ method: "POST", path, body: { ids: missing } })) as MultiGetAnswer;
      for (const { _id, _source, error } of answer.docs) {
        // Each document reports by itself that its index was removed or does not answer.
        if (_source === undefined) {
          throw new IncompleteError(`Page ${_id} of the index ${index} is missing: ${error?.reason ?? "it is gone"}`);
        }
        const bytes = Buffer.from(_source.index, "base64");
        const page = new PageIndex(decodeIndex(bytes), meta);
        this.#pages.set(`${index}/${_id}`, { page, cost: bytes.length * 3 });
        found.set(_id, page);
      }
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }
}

interface MultiGetAnswer {
  readonly docs: readonly {
    readonly _id: string;
    readonly _source?: { readonly index: string };
    readonly error?: { readonly reason: string };
  }[];
}

const NOTHING: EngineAnswer = { hits: [], total: 0, facets: {}, words: [], unknown: [], matchTerm: () => undefined };

function toAnswer(found: Found, query: EngineQuery): EngineAnswer {
  const { asked, pages, mask, total, facets, isEstimate } = found;
  const candidates = pages.map(({ answer }, page): Candidate => {
    return {
      page,
      score: answer.score,
      section: 0,
      records: answer.records.map((record) => page * RECORDS_APART + record),
    };
  });
  const taken = query.offset >= MAX_OFFSET ? [] : takeTurns(candidates, query.offset, query.limit);
  return {
    hits: taken.map(({ record, score }) => {
      const page = (pages[Math.floor(record / RECORDS_APART)] as RankedPage).page;
      return { record: page.recordAt(record % RECORDS_APART), score };
    }),
    total,
    facets,
    words: asked.words.map(({ label }) => label),
    unknown: asked.describeUnknown(mask),
    matchTerm: asked.termMatcher(),
    ...(isEstimate ? { isEstimate } : {}),
  };
}

/** Records of different pages have numbers this far apart while their turns are taken. */
const RECORDS_APART = 2 ** 24;

function sumFacets(
  all: readonly Readonly<Record<string, Readonly<Record<string, number>>>>[],
  factor: number,
): Record<string, Record<string, number>> {
  const sums: Record<string, Record<string, number>> = {};
  for (const facets of all) {
    for (const [attribute, values] of Object.entries(facets)) {
      const sum = sums[attribute] ?? {};
      sums[attribute] = sum;
      for (const [value, count] of Object.entries(values)) sum[value] = (sum[value] ?? 0) + count;
    }
  }
  for (const [attribute, values] of Object.entries(sums)) {
    const sorted = Object.entries(values).sort((a, b) => b[1] - a[1]);
    sums[attribute] = Object.fromEntries(sorted.map(([value, count]) => [value, Math.round(count * factor)]));
  }
  return sums;
}

function readFacets(answer: PageSearchAnswer, wanted: readonly string[]): Record<string, Record<string, number>> {
  const result: Record<string, Record<string, number>> = {};
  for (const { key, doc_count: count } of answer.aggregations?.facets?.buckets ?? []) {
    const colon = key.indexOf(":");
    const attribute = key.slice(0, colon);
    if (!wanted.includes(attribute) && !wanted.includes("*")) continue;
    result[attribute] = { ...result[attribute], [key.slice(colon + 1)]: count };
  }
  return result;
}
