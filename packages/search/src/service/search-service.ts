/**
 * The service: the hosted provider's paths below `/1/`, for mounting in any Node HTTP server. Everything it needs is in memory;
 * the index is read from its file, again when the file is replaced.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { parseJson } from "@toolhive/http/values";
import { FallbackEngine } from "../engine/fallback-engine.ts";
import { type EngineAnswer, EngineError, type EngineQuery, type SearchEngine } from "../engine/search-engine.ts";
import { EventFile } from "../events/event-file.ts";
import { letOthersIn } from "../support/in-slices.ts";
import { type SearchLog, SILENT_LOG } from "../support/search-log.ts";
import { costOfSearch, mergeParams } from "../wire/search-params.ts";
import { WireError } from "../wire/wire-error.ts";
import { type AdminExchange, AdminRoute } from "./admin-route.ts";
import { type ExpectedCredentials, readCredentials, requireAdminAccess, requireSearchAccess } from "./credentials.ts";
import { CompressedBody, readTextBody, sendBody, sendJson, sendPreflight } from "./http.ts";
import { IndexStore } from "./index-store.ts";
import { IndexWriter } from "./index-writer.ts";
import { DEFAULT_RATE_LIMIT, type RateLimit, RateLimiter } from "./rate-limiter.ts";
import { MAX_REQUESTS_PER_BATCH, type SearchNote, SearchRoute } from "./search-route.ts";
import { SearchStatistics } from "./search-statistics.ts";
import { Turns } from "./turns.ts";

export interface SearchServiceOptions {
  /** The file that `buildIndex` writes. It may be missing at first: searches get 503 until it exists. */
  readonly indexFile: string;
  readonly indexName: string;
  /** Application id that clients must send. Default: any. */
  readonly appId?: string;
  /** Key that clients must send to search. Default: any. */
  readonly apiKey?: string;
  /** Key for uploads. Default: none, and uploads are refused. */
  readonly adminKey?: string;
  /** Where searches and clicks are counted, without personal data. Default: nowhere. */
  readonly eventsFile?: string;
  /** Bytes after which the events' file is rotated; at most twice this is kept. Default 5 MiB. */
  readonly maxEventsBytes?: number;
  /** Default: silent. */
  readonly log?: SearchLog;
  /** Per address. `false` switches it off. Default 60 searches a second, 300 at once. */
  readonly rateLimit?: RateLimit | false;
  /** Take the address from `X-Forwarded-For`: only behind a proxy that sets it. Default false. */
  readonly trustProxy?: boolean;
  /** Milliseconds between two checks of the index file, 0 for never. Default 1000. */
  readonly watchIntervalMs?: number;
  /** Memory for recent answers, in bytes. Default 64 MiB: every beginning of a site's usual queries. */
  readonly cacheBytes?: number;
  /** Time for a request's body to arrive, in milliseconds. Default 10,000. */
  readonly bodyTimeoutMs?: number;
  /** Another engine behind the same wire. The index file answers while it fails, and its answers are marked (`fallback`). */
  readonly engine?: SearchEngine;
  /** Milliseconds, monotonic; for tests. Default `performance.now`. */
  readonly now?: () => number;
  /** Wall clock; for tests. */
  readonly today?: () => Date;
}

export interface SearchService extends AsyncDisposable {
  /**
   * Answers a request when its path is the service's.
   *
   * @returns false when the path is not below `/1/`: the caller answers. Never rejects.
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /**
   * Answers a request of another interface of the same site: it is charged to its caller as one of ours is, and waits for its
   * turn when it is large.
   *
   * @throws {WireError} 429 when the caller, or all callers together, ask for too much; and what `answer` throws.
   */
  admit<Result>(request: IncomingMessage, charge: Charge, answer: () => Promise<Result>): Promise<Result>;
  /**
   * Searches what is served, with the engine that answers our own paths. Kept out of the statistics.
   *
   * @throws {WireError} 503 while there is no index, {@link EngineError} while an engine behind an adapter does not answer.
   */
  search(query: EngineQuery): Promise<EngineAnswer>;
  /** Checks the index file now. @returns whether a new index is served. */
  reload(): Promise<boolean>;
  /** Writes what waits to be written and stops following the file. */
  close(): Promise<void>;
}

/** What a request costs its caller. */
export interface Charge {
  /** Searches in it. */
  readonly searches: number;
  /** Of its body. */
  readonly characters: number;
}

/** A search is 0.6 kB; this is generous. */
const MAX_SEARCH_BODY_BYTES = 64 * 1024;
/** A thousand events, the provider's limit, of usual size. */
const MAX_EVENTS_BODY_BYTES = 2 * 2 ** 20;
/** A request that costs more than the site's own pages ever ask for, three searches, waits until others like it are answered. */
const MAX_COST_WITHOUT_WAITING = 3;
/** Bytes of a body that count as one search more: long filters and lists cost as much as hits do. */
const BODY_BYTES_PER_SEARCH = 4 * 1024;
/** How often searches of readers who paused are written, in milliseconds. */
const STATISTICS_INTERVAL_MS = 5_000;

/** Starts loading the index at once; requests wait for that first attempt. */
export function createSearchService(options: SearchServiceOptions): SearchService {
  return new Service(options);
}

class Service implements SearchService {
  readonly #options: SearchServiceOptions;
  readonly #log: SearchLog;
  readonly #store: IndexStore;
  /** In place of the store's engine. */
  readonly #other: SearchEngine | undefined;
  readonly #writer: IndexWriter;
  readonly #search: SearchRoute;
  readonly #admin: AdminRoute;
  readonly #limiter: RateLimiter | undefined;
  readonly #largeSearches = new Turns();
  readonly #events: EventFile | undefined;
  readonly #statistics: SearchStatistics;
  readonly #statisticsTimer: NodeJS.Timeout;
  readonly #expected: ExpectedCredentials;
  readonly #bodyTimeoutMs: number;
  /** The first reading of the index file: a request that arrives before its end waits for it. */
  readonly #firstLoad: Promise<boolean>;

  constructor(options: SearchServiceOptions) {
    const { indexFile, indexName, eventsFile, log = SILENT_LOG, rateLimit = DEFAULT_RATE_LIMIT } = options;
    const { now = () => performance.now(), today = () => new Date() } = options;
    this.#options = options;
    this.#log = log;
    this.#expected = { appId: options.appId, apiKey: options.apiKey, adminKey: options.adminKey };
    this.#bodyTimeoutMs = options.bodyTimeoutMs ?? 10_000;
    this.#store = new IndexStore({ indexFile, log, watchIntervalMs: options.watchIntervalMs ?? 1_000 });
    this.#firstLoad = this.#store.reload();
    const { engine } = options;
    if (engine !== undefined) {
      this.#other = new FallbackEngine({ engine, findFallback: () => this.#store.engine, log, now });
    }
    this.#writer = new IndexWriter(indexName, this.#store, today);
    this.#limiter = rateLimit === false ? undefined : new RateLimiter(rateLimit, now);
    const findIndex = (name: string) => this.#findIndex(name);
    this.#search = new SearchRoute({ findIndex, cacheBytes: options.cacheBytes ?? 64 * 2 ** 20, now });
    this.#admin = new AdminRoute({
      writer: this.#writer,
      findIndex,
      readJson: (request, maxBytes) => this.#readJson(request, maxBytes),
      requireSearchAccess: ({ request, params }) =>
        requireSearchAccess(readCredentials(request, params), this.#expected),
      requireAdminAccess: ({ request, params }) => requireAdminAccess(readCredentials(request, params), this.#expected),
      today,
    });
    if (eventsFile !== undefined) {
      const { maxEventsBytes } = options;
      this.#events = new EventFile({
        file: eventsFile,
        log,
        ...(maxEventsBytes === undefined ? {} : { maxBytes: maxEventsBytes }),
      });
    }
    this.#statistics = new SearchStatistics({ write: (lines) => this.#events?.add(lines), today, now });
    this.#statisticsTimer = setInterval(() => this.#statistics.writePaused(), STATISTICS_INTERVAL_MS).unref();
  }

  reload(): Promise<boolean> {
    return this.#store.reload();
  }

  async close(): Promise<void> {
    clearInterval(this.#statisticsTimer);
    this.#statistics.writePaused(true);
    await this.#events?.[Symbol.asyncDispose]();
    await this.#store[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async search(query: EngineQuery): Promise<EngineAnswer> {
    await this.#firstLoad;
    return await (await this.#findIndex(this.#options.indexName)).search(query);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const [path, search] = splitOnce(request.url ?? "", "?");
    if (!path.startsWith("/1/")) return false;
    try {
      await this.#firstLoad;
      await this.#route(request, response, path, new URLSearchParams(search));
    } catch (error) {
      await this.#sendError(request, response, error);
    }
    return true;
  }

  async #route(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    params: URLSearchParams,
  ): Promise<void> {
    if (request.method === "OPTIONS") return sendPreflight(response);
    if (path === "/1/isalive") return sendJson(request, response, { message: "server is alive" });
    if (path === "/1/events") return this.#recordEvents(request, response);
    const [area, name, verb, argument, action, ...more] = path.split("/").slice(2).map(decodeSegment);
    const isFacetSearch = verb === "facets" && action === "query";
    if (area !== "indexes" || more.length > 0 || (action !== undefined && !isFacetSearch)) throw notFound();
    const exchange = { request, response, name: name ?? "", verb, argument, params };
    if (name === undefined || name === "") {
      this.#limit(request, 1);
      return this.#admin.list(exchange);
    }
    if (verb === "queries" || verb === "query" || isFacetSearch) return this.#answerSearch(exchange);
    if (verb === undefined && request.method === "GET") return this.#answerGet(exchange);
    this.#limit(request, 1);
    if (!(await this.#admin.handle(exchange))) throw notFound();
  }

  async #answerSearch({ request, response, name, verb, argument = "", params }: AdminExchange): Promise<void> {
    if (request.method !== "POST") throw new WireError(405, "Method not allowed", { allow: "POST, OPTIONS" });
    requireSearchAccess(readCredentials(request, params), this.#expected);
    const text = await this.#readText(request, MAX_SEARCH_BODY_BYTES);
    const characters = text.length;
    const body = parseBody(text);
    if (verb === "queries") {
      if (name !== "*") throw notFound();
      return this.admit(request, { searches: costOfBatch(body), characters }, async () => {
        const answer = await this.#search.answerBatch(body, (note) => this.#note(request, note));
        await sendBody(request, response, new CompressedBody(answer));
      });
    }
    const fields = mergeParams(body);
    if (verb !== "query") {
      return this.admit(request, { searches: 1, characters }, async () => {
        await sendJson(request, response, await this.#search.answerFacetSearch(name, argument, fields));
      });
    }
    return this.admit(request, { searches: costOfSearch(fields), characters }, async () => {
      const answer = await this.#search.answer(name, fields, (note) => this.#note(request, note));
      await sendBody(request, response, new CompressedBody(answer));
    });
  }

  /** `GET /1/indexes/{name}?query=…`: a search that browsers and caches may keep, told apart by its entity tag. */
  async #answerGet({ request, response, name, params }: AdminExchange): Promise<void> {
    const fields = Object.fromEntries(params);
    return this.admit(request, { searches: costOfSearch(fields), characters: 0 }, async () => {
      requireSearchAccess(readCredentials(request, params), this.#expected);
      const text = await this.#search.answer(name, fields, (note) => this.#note(request, note));
      await sendBody(request, response, new CompressedBody(text), { withEntityTag: true });
    });
  }

  /** At once when it is as small as readers' requests are, else one after the other. */
  async admit<Result>(
    request: IncomingMessage,
    { searches, characters }: Charge,
    answer: () => Promise<Result>,
  ): Promise<Result> {
    const cost = searches + Math.floor(characters / BODY_BYTES_PER_SEARCH);
    this.#limit(request, cost);
    if (cost <= MAX_COST_WITHOUT_WAITING) return await answer();
    return await this.#largeSearches.run(async () => {
      await letOthersIn(); // else one large request would follow the other in the same turn of the event loop
      return await answer();
    });
  }

  async #recordEvents(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") throw new WireError(405, "Method not allowed", { allow: "POST, OPTIONS" });
    this.#limit(request, 1);
    const body = await this.#readJson(request, MAX_EVENTS_BODY_BYTES);
    if (!this.#statistics.recordEvents(body))
      throw new WireError(400, "events must be an array of at most 1000 events");
    return sendJson(request, response, { status: 200, message: "OK" });
  }

  #note(request: IncomingMessage, note: SearchNote): void {
    if (this.#events !== undefined) this.#statistics.note(this.#readAddress(request), note);
  }

  /** At once for the served index; a temporary one may have to be built first. */
  #findIndex(name: string): SearchEngine | Promise<SearchEngine> {
    if (name !== this.#options.indexName) {
      const draft = this.#writer.buildEngine(name);
      if (draft === undefined) throw new WireError(404, `Index ${name.slice(0, 100)} does not exist`);
      return draft;
    }
    const engine = this.#other ?? this.#store.engine;
    if (engine === undefined) throw new WireError(503, "The search index is not loaded yet", { "retry-after": "1" });
    return engine;
  }

  #limit(request: IncomingMessage, searches: number): void {
    const wait = this.#limiter?.take(this.#readAddress(request), searches) ?? 0;
    if (wait > 0) throw new WireError(429, "Too many requests", { "retry-after": String(wait) });
  }

  #readAddress(request: IncomingMessage): string {
    const forwarded = request.headers["x-forwarded-for"];
    if (this.#options.trustProxy === true && typeof forwarded === "string")
      return (forwarded.split(",").at(-1) ?? "").trim();
    return request.socket.remoteAddress ?? "";
  }

  async #readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
    return parseBody(await this.#readText(request, maxBytes));
  }

  async #readText(request: IncomingMessage, maxBytes: number): Promise<string> {
    return await readTextBody(request, maxBytes, this.#bodyTimeoutMs);
  }

  async #sendError(request: IncomingMessage, response: ServerResponse, error: unknown): Promise<void> {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    let known: WireError;
    if (error instanceof WireError) known = error;
    else {
      const problem = error instanceof Error ? error.stack : String(error);
      this.#log.error({ path: splitOnce(request.url ?? "", "?")[0], error: problem }, "search failed");
      const isOutage = error instanceof EngineError;
      known = isOutage
        ? new WireError(503, "The search engine does not answer", { "retry-after": "1" })
        : new WireError(500, "Internal error");
    }
    const { status, message, headers } = known;
    await sendJson(request, response, { message, status }, { status, headers });
  }
}

function notFound(): WireError {
  return new WireError(404, "Path not found");
}

/** What a request costs: every search in it by its hits, so that one request cannot be worth five hundred. */
function costOfBatch(body: unknown): number {
  const requests = typeof body === "object" && body !== null && "requests" in body ? body.requests : undefined;
  if (!Array.isArray(requests) || requests.length > MAX_REQUESTS_PER_BATCH) return 1;
  return requests.reduce<number>((sum, exchange) => sum + costOfSearch(mergeParams(exchange)), 0) || 1;
}

/** @throws {WireError} 400. */
function parseBody(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) throw new WireError(400, "Request body is not valid JSON");
  return value;
}

function splitOnce(text: string, separator: string): readonly [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new WireError(400, "Path is not valid percent-encoding");
  }
}
