/**
 * The service: the hosted provider's paths below `/1/`, for mounting in any Node HTTP server.
 *
 * Everything it needs is in memory; the index comes from its file and is followed when the file is replaced.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { withDefaults } from "../engine/index-settings.ts";
import type { SearchEngine } from "../engine/search-engine.ts";
import { WireError } from "../wire/wire-error.ts";
import { credentialsOf, type ExpectedCredentials, requireSearchAccess } from "./credentials.ts";
import { CompressedBody, readBody, sendBody, sendJson, sendPreflight } from "./http.ts";
import { IndexStore } from "./index-store.ts";
import { DEFAULT_RATE_LIMIT, type RateLimit, RateLimiter } from "./rate-limiter.ts";
import { type SearchLog, SILENT_LOG } from "./search-log.ts";
import { type SearchableIndex, SearchRoute } from "./search-route.ts";

export interface SearchServiceOptions {
  /** The file that `buildIndex` writes. It may be missing at first: searches get 503 until it is there. */
  readonly indexFile: string;
  readonly indexName: string;
  /** Application id that clients must send. Default: any. */
  readonly appId?: string;
  /** Key that clients must send to search. Default: any. */
  readonly apiKey?: string;
  /** Key for uploads. Default: none, and uploads are refused. */
  readonly adminKey?: string;
  /** Default: silent. */
  readonly log?: SearchLog;
  /** Per address. `false` switches it off. Default 60 a second, 300 at once. */
  readonly rateLimit?: RateLimit | false;
  /** Take the address from `X-Forwarded-For`: only behind a proxy that sets it. Default false. */
  readonly trustProxy?: boolean;
  /** How often the index file is looked at, in milliseconds, 0 for never. Default 1000. */
  readonly watchIntervalMs?: number;
  /** Memory for recent answers. Default 32 MiB. */
  readonly cacheBytes?: number;
  /** Time for a request's body to arrive, in milliseconds. Default 10,000. */
  readonly bodyTimeoutMs?: number;
  /** Another engine behind the same wire, instead of the index file. */
  readonly engine?: SearchEngine;
  /** Milliseconds, monotonic; for tests. Default `performance.now`. */
  readonly now?: () => number;
}

export interface SearchService extends AsyncDisposable {
  /**
   * Answers a request when its path is the service's.
   *
   * @returns false when the path is not below `/1/`: the caller answers. Never rejects.
   */
  handle(req: IncomingMessage, res: ServerResponse): Promise<boolean>;
  /** Looks at the index file now. @returns whether a new index is served. */
  reload(): Promise<boolean>;
  close(): Promise<void>;
}

/** A search is 0.6 kB; this is generous. */
const MAX_SEARCH_BODY_BYTES = 64 * 1024;

/** Starts loading the index at once; requests wait for that first attempt. */
export function createSearchService(options: SearchServiceOptions): SearchService {
  return new Service(options);
}

class Service implements SearchService {
  readonly #options: SearchServiceOptions;
  readonly #log: SearchLog;
  readonly #store: IndexStore;
  readonly #search: SearchRoute;
  readonly #limiter: RateLimiter | undefined;
  readonly #expected: ExpectedCredentials;
  readonly #bodyTimeoutMs: number;
  /** The first look at the index file: a request that comes before its end waits for it. */
  readonly #firstLoad: Promise<boolean>;

  constructor(options: SearchServiceOptions) {
    const {
      indexFile,
      log = SILENT_LOG,
      watchIntervalMs = 1_000,
      cacheBytes = 32 * 2 ** 20,
      rateLimit = DEFAULT_RATE_LIMIT,
    } = options;
    const now = options.now ?? (() => performance.now());
    this.#options = options;
    this.#log = log;
    this.#expected = { appId: options.appId, apiKey: options.apiKey, adminKey: options.adminKey };
    this.#bodyTimeoutMs = options.bodyTimeoutMs ?? 10_000;
    this.#store = new IndexStore({ indexFile, log, watchIntervalMs });
    this.#firstLoad = this.#store.reload();
    this.#limiter = rateLimit === false ? undefined : new RateLimiter(rateLimit, now);
    this.#search = new SearchRoute({ indexOf: (name) => this.#indexOf(name), cacheBytes, onSearch: () => {}, now });
  }

  reload(): Promise<boolean> {
    return this.#store.reload();
  }

  async close(): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async handle(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const [path = "", search = ""] = splitOnce(req.url ?? "", "?");
    if (!path.startsWith("/1/")) return false;
    try {
      await this.#firstLoad;
      await this.#route(req, res, path, new URLSearchParams(search));
    } catch (error) {
      this.#sendError(req, res, error);
    }
    return true;
  }

  async #route(req: IncomingMessage, res: ServerResponse, path: string, params: URLSearchParams): Promise<void> {
    if (req.method === "OPTIONS") return sendPreflight(res);
    if (path === "/1/isalive") return sendJson(req, res, { message: "server is alive" });
    this.#limit(req);
    const segments = path.split("/").slice(2).map(decodeSegment);
    const [area, name = "", verb] = segments;
    if (area !== "indexes" || segments.length > 5) throw notFound();
    if (verb === "queries" && name === "*") {
      requireMethod(req, "POST");
      requireSearchAccess(credentialsOf(req, params), this.#expected);
      const text = await this.#search.answerBatch(await this.#readJson(req));
      return sendBody(req, res, new CompressedBody(text));
    }
    if (verb === "query") {
      requireMethod(req, "POST");
      requireSearchAccess(credentialsOf(req, params), this.#expected);
      const body = await this.#readJson(req);
      return sendBody(req, res, new CompressedBody(await this.#search.answer(name, asFields(body))));
    }
    throw notFound();
  }

  #indexOf(name: string): SearchableIndex {
    if (name !== this.#options.indexName) throw new WireError(404, `Index ${name.slice(0, 100)} does not exist`);
    const { engine } = this.#options;
    if (engine !== undefined) return { engine, settings: withDefaults({}).settings, version: engine.name };
    const own = this.#store.engine;
    if (own === undefined) throw new WireError(503, "The search index is not loaded yet", { "retry-after": "1" });
    return { engine: own, settings: own.settings, version: own.data.meta.version };
  }

  #limit(req: IncomingMessage): void {
    const wait = this.#limiter?.take(this.#addressOf(req)) ?? 0;
    if (wait > 0) throw new WireError(429, "Too many requests", { "retry-after": String(wait) });
  }

  #addressOf(req: IncomingMessage): string {
    const forwarded = req.headers["x-forwarded-for"];
    if (this.#options.trustProxy === true && typeof forwarded === "string")
      return (forwarded.split(",").at(-1) ?? "").trim();
    return req.socket.remoteAddress ?? "";
  }

  async #readJson(req: IncomingMessage): Promise<unknown> {
    const body = await readBody(req, MAX_SEARCH_BODY_BYTES, this.#bodyTimeoutMs);
    try {
      return JSON.parse(body.toString("utf8"));
    } catch {
      throw new WireError(400, "Request body is not valid JSON");
    }
  }

  #sendError(req: IncomingMessage, res: ServerResponse, error: unknown): void {
    if (res.headersSent || res.destroyed) {
      res.destroy();
      return;
    }
    let known: WireError;
    if (error instanceof WireError) known = error;
    else {
      this.#log.error(
        { path: req.url?.split("?")[0], error: error instanceof Error ? error.stack : String(error) },
        "search failed",
      );
      known = new WireError(500, "Internal error");
    }
    const { status, message, headers } = known;
    void sendJson(req, res, { message, status }, { status, headers });
  }
}

const notFound = (): WireError => new WireError(404, "Path not found");

function requireMethod(req: IncomingMessage, ...methods: readonly string[]): void {
  if (!methods.includes(req.method ?? ""))
    throw new WireError(405, "Method not allowed", { allow: methods.join(", ") });
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new WireError(400, "Path is not valid percent-encoding");
  }
}

function asFields(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new WireError(400, "Request body must be an object");
  return body as Readonly<Record<string, unknown>>;
}
