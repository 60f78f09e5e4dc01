/**
 * OpenSearch behind the engine's interface, for sites beyond what one process holds. The wire, highlighting included, stays
 * ours; differences from our own engine are listed in the package's README.
 */
import { randomUUID } from "node:crypto";
import { HIERARCHY_LEVELS, type SearchRecord } from "../../records/search-record.ts";
import { DEFAULT_SETTINGS, facetAttributeOf } from "../index-settings.ts";
import { parseQueryWords, type QueryWord } from "../query-words.ts";
import type { EngineAnswer, EngineQuery, SearchEngine } from "../search-engine.ts";
import { matchByText } from "./match-by-text.ts";
import { type AskedWord, OPENSEARCH_INDEX, toOpenSearchQuery } from "./opensearch-schema.ts";

export interface OpenSearchEngineOptions {
  /** Address of the cluster, `https://user:password@host:9200` or without credentials. */
  readonly url: string;
  /** An alias; uploads make a new index and move the alias to it. */
  readonly alias: string;
  /** For one request, in milliseconds. Default 2000: the site's client gives up then. */
  readonly timeoutMs?: number;
}

/** What went wrong between us and the cluster; the message names the request and what was answered. */
export class OpenSearchError extends Error {
  override readonly name = "OpenSearchError";
}

interface SearchAnswer {
  readonly hits: {
    readonly hits: readonly { readonly _score: number | null; readonly _source: { readonly record: SearchRecord } }[];
  };
  readonly aggregations?: {
    readonly urls?: { readonly value: number };
    readonly facets?: { readonly buckets: readonly { readonly key: string; readonly doc_count: number }[] };
  };
}

/** Records in one bulk request. */
const BULK_RECORDS = 500;
/** A bulk request may take longer than a search, in milliseconds. */
const UPLOAD_TIMEOUT_MS = 60_000;

export class OpenSearchEngine implements SearchEngine {
  readonly name = "opensearch";
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #alias: string;
  readonly #timeoutMs: number;

  constructor({ url, alias, timeoutMs = 2_000 }: OpenSearchEngineOptions) {
    const { username, password, origin, pathname } = new URL(url);
    const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString(
      "base64",
    );
    this.#origin = `${origin}${pathname.replace(/\/+$/, "")}`;
    this.#headers = username === "" ? {} : { authorization: `Basic ${credentials}` };
    this.#alias = alias;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws {OpenSearchError} when the cluster refuses, fails or does not answer in time. */
  async search(query: EngineQuery): Promise<EngineAnswer> {
    const words = parseQueryWords(query.text, query.queryType);
    if (words.length === 0 && query.text.trim() !== "") {
      return { hits: [], total: 0, facets: {}, words: [], unknown: [], matchTerm: () => undefined };
    }
    const body = toOpenSearchQuery(query, words.map(toAskedWord));
    const answer = (await this.#call("POST", `/${this.#alias}/_search`, body)) as SearchAnswer;
    return {
      hits: answer.hits.hits.map(({ _score, _source }) => ({ record: _source.record, score: _score ?? 0 })),
      total: answer.aggregations?.urls?.value ?? 0,
      facets: facetsOf(answer, query.facets),
      words: words.map(({ label }) => label),
      unknown: [],
      matchTerm: matchByText(words),
    };
  }

  /**
   * Replaces the content: fills a new index, moves the alias to it in one step, deletes the old ones.
   *
   * @throws {OpenSearchError}; the alias still points to the old index then.
   */
  async replaceAll(records: Iterable<SearchRecord>): Promise<void> {
    const index = `${this.#alias}-${randomUUID()}`;
    await this.#call("PUT", `/${index}`, OPENSEARCH_INDEX);
    try {
      await this.#fill(index, records);
      const old = Object.keys((await this.#call("GET", `/_alias/${this.#alias}`, undefined, true)) as object);
      const actions = [
        { add: { index, alias: this.#alias } },
        ...old.map((name) => ({ remove_index: { index: name } })),
      ];
      await this.#call("POST", "/_aliases", { actions });
    } catch (error) {
      await this.#call("DELETE", `/${index}`, undefined, true);
      throw error;
    }
  }

  async #fill(index: string, records: Iterable<SearchRecord>): Promise<void> {
    let lines: string[] = [];
    const send = async (): Promise<void> => {
      const answer = await this.#call("POST", `/${index}/_bulk`, `${lines.join("\n")}\n`);
      if ((answer as { errors?: boolean }).errors === true)
        throw new OpenSearchError("OpenSearch refused records of an upload");
      lines = [];
    };
    for (const record of records) {
      lines.push(JSON.stringify({ index: { _id: record.objectID } }), JSON.stringify(toDocument(record)));
      if (lines.length >= BULK_RECORDS * 2) await send();
    }
    if (lines.length > 0) await send();
    await this.#call("POST", `/${index}/_refresh`);
  }

  async #call(method: string, path: string, body?: object | string, isMissingFine = false): Promise<unknown> {
    const isBulk = typeof body === "string";
    const timeoutMs = path.endsWith("_search") ? this.#timeoutMs : UPLOAD_TIMEOUT_MS;
    const type = isBulk ? "application/x-ndjson" : "application/json";
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${this.#origin}${path}`, {
        method,
        headers: { ...this.#headers, ...(body === undefined ? {} : { "content-type": type }) },
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body: isBulk ? body : JSON.stringify(body) }),
      });
      status = response.status;
      text = await response.text();
    } catch (error) {
      throw new OpenSearchError(`OpenSearch does not answer ${method} ${path}`, { cause: error });
    }
    if (status === 404 && isMissingFine) return {};
    if (status >= 300)
      throw new OpenSearchError(`OpenSearch answered ${method} ${path} with ${status}: ${text.slice(0, 300)}`);
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new OpenSearchError(`OpenSearch answered ${method} ${path} with something that is not JSON`, {
        cause: error,
      });
    }
  }
}

function toAskedWord({ flag, term, parts, isPrefix }: QueryWord): AskedWord {
  return { text: flag ?? (term === "" ? parts.join(" ") : term), isPrefix };
}

function toDocument(record: SearchRecord): object {
  const { hierarchy, type, content, keywords, url, weight } = record;
  const levels = HIERARCHY_LEVELS.filter((level) => level !== type && hierarchy[level] !== null);
  const facets = DEFAULT_SETTINGS.attributesForFaceting.map(facetAttributeOf).flatMap((attribute) => {
    const value = record[attribute];
    const values = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
    return values.map((one) => `${attribute}:${String(one)}`);
  });
  return {
    title: type === "lvl1" ? hierarchy.lvl1 : null,
    heading: type === "lvl1" || type === "content" ? null : hierarchy[type],
    text: content,
    keywords: keywords ?? null,
    context: levels.map((level) => hierarchy[level]).join(" "),
    url: url === "" ? record.objectID : url,
    rank: weight.pageRank,
    position: weight.position,
    facets,
    record,
  };
}

function facetsOf(answer: SearchAnswer, wanted: readonly string[]): Record<string, Record<string, number>> {
  const result: Record<string, Record<string, number>> = {};
  for (const { key, doc_count: count } of answer.aggregations?.facets?.buckets ?? []) {
    const colon = key.indexOf(":");
    const attribute = key.slice(0, colon);
    if (!wanted.includes(attribute) && !wanted.includes("*")) continue;
    result[attribute] = { ...result[attribute], [key.slice(colon + 1)]: count };
  }
  return result;
}
