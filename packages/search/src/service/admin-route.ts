/** Reading and writing whole indexes: browse, settings, batch, move. Writing needs the admin key. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isRecord } from "@toolhive/http/values";
import { OwnEngine } from "../engine/memory/memory-engine.ts";
import type { SearchEngine } from "../engine/search-engine.ts";
import type { SearchRecord } from "../records/search-record.ts";
import { escapeTexts } from "../wire/escape-record.ts";
import { WireError } from "../wire/wire-error.ts";
import { CompressedBody, sendBody, sendJson } from "./http.ts";
import { type IndexWriter, isTextHtml } from "./index-writer.ts";

/** A batch of records; the provider's advice is 10 MB. */
const MAX_UPLOAD_BODY_BYTES = 10 * 2 ** 20;
/** Records in one answer, the provider's limit. */
const MAX_BROWSED = 1_000;

type Fields = Readonly<Record<string, unknown>>;

export interface AdminExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly name: string;
  readonly verb: string | undefined;
  readonly argument: string | undefined;
  readonly params: URLSearchParams;
}

export interface AdminRouteOptions {
  readonly writer: IndexWriter;
  /** @throws {WireError} 404 or 503. */
  readonly findIndex: (name: string) => SearchEngine | Promise<SearchEngine>;
  readonly readJson: (request: IncomingMessage, maxBytes: number) => Promise<unknown>;
  /** @throws {WireError} 403. */
  readonly requireSearchAccess: (exchange: AdminExchange) => void;
  /** @throws {WireError} 403. */
  readonly requireAdminAccess: (exchange: AdminExchange) => void;
  readonly today: () => Date;
}

export class AdminRoute {
  readonly #options: AdminRouteOptions;

  constructor(options: AdminRouteOptions) {
    this.#options = options;
  }

  /** `GET /1/indexes`. */
  async list(exchange: AdminExchange): Promise<void> {
    allow(exchange.request, "GET");
    this.#options.requireAdminAccess(exchange);
    const items = this.#options.writer.list();
    await sendJson(exchange.request, exchange.response, { items, nbPages: 1 });
  }

  /** Everything below `/1/indexes/{name}` that is not a search. @returns false when there is no such path. */
  async handle(exchange: AdminExchange): Promise<boolean> {
    const { request, verb, argument } = exchange;
    if (verb === undefined) await this.#delete(exchange);
    else if (verb === "task" && argument !== undefined) await this.#task(exchange, argument);
    else if (argument !== undefined) return false;
    else if (verb === "settings")
      await (request.method === "PUT" ? this.#putSettings(exchange) : this.#getSettings(exchange));
    else if (verb === "browse") await this.#browse(exchange);
    else if (verb === "batch") await this.#batch(exchange);
    else if (verb === "operation") await this.#operation(exchange);
    else if (verb === "clear") await this.#clear(exchange);
    else return false;
    return true;
  }

  async #getSettings(exchange: AdminExchange): Promise<void> {
    allow(exchange.request, "GET", "PUT");
    this.#options.requireSearchAccess(exchange);
    const { settings } = await this.#options.findIndex(exchange.name);
    const body = new CompressedBody(JSON.stringify(settings));
    await sendBody(exchange.request, exchange.response, body, { withEntityTag: true });
  }

  async #putSettings(exchange: AdminExchange): Promise<void> {
    const body = await this.#readUpload(exchange);
    await this.#options.writer.setSettings(exchange.name, body);
    await this.#done(exchange, { updatedAt: this.#options.today().toISOString() });
  }

  async #batch(exchange: AdminExchange): Promise<void> {
    allow(exchange.request, "POST");
    const body = await this.#readUpload(exchange);
    const objectIDs = await this.#options.writer.batch(exchange.name, body.requests);
    await this.#done(exchange, { objectIDs });
  }

  async #operation(exchange: AdminExchange): Promise<void> {
    allow(exchange.request, "POST");
    const { operation, destination, scope } = await this.#readUpload(exchange);
    if (typeof destination !== "string" || destination === "") throw new WireError(400, "destination is missing");
    if (scope !== undefined && scope !== null && !Array.isArray(scope))
      throw new WireError(400, "scope must be an array");
    await this.#options.writer.operate(operation, exchange.name, destination, scope ?? undefined);
    await this.#done(exchange, { updatedAt: this.#options.today().toISOString() });
  }

  async #clear(exchange: AdminExchange): Promise<void> {
    allow(exchange.request, "POST");
    this.#options.requireAdminAccess(exchange);
    await this.#options.writer.clear(exchange.name);
    await this.#done(exchange, { updatedAt: this.#options.today().toISOString() });
  }

  async #delete(exchange: AdminExchange): Promise<void> {
    allow(exchange.request, "DELETE");
    this.#options.requireAdminAccess(exchange);
    await this.#options.writer.delete(exchange.name);
    await this.#done(exchange, { deletedAt: this.#options.today().toISOString() });
  }

  /** Writes are done when they are answered, so every task that exists is published. */
  async #task(exchange: AdminExchange, argument: string): Promise<void> {
    allow(exchange.request, "GET");
    this.#options.requireAdminAccess(exchange);
    const task = Number(argument);
    if (!Number.isInteger(task) || task < 1 || task > this.#options.writer.lastTaskID) {
      throw new WireError(404, `Task ${argument.slice(0, 40)} does not exist`);
    }
    await sendJson(exchange.request, exchange.response, { status: "published", pendingTask: false });
  }

  async #browse(exchange: AdminExchange): Promise<void> {
    const { request, response, name, params } = exchange;
    allow(request, "GET", "POST");
    this.#options.requireSearchAccess(exchange);
    const body =
      request.method === "POST" ? await this.#options.readJson(request, 64 * 1024) : Object.fromEntries(params);
    const fields = isRecord(body) ? body : {};
    const engine = await this.#options.findIndex(name);
    const { version, settings } = engine;
    if (!(engine instanceof OwnEngine)) throw new WireError(400, "This index cannot be browsed");
    const hitsPerPage = Math.min(Math.max(1, Number(fields.hitsPerPage ?? MAX_BROWSED) || MAX_BROWSED), MAX_BROWSED);
    const from = cursorOffset(fields.cursor, version);
    const total = engine.data.meta.recordCount;
    const to = Math.min(total, from + hitsPerPage);
    const encode = isTextHtml({ ...settings }) ? escapeTexts : (record: SearchRecord) => record;
    const hits = Array.from({ length: Math.max(0, to - from) }, (_, at) => encode(engine.recordAt(from + at)));
    const answer = {
      hits,
      nbHits: total,
      page: Math.floor(from / hitsPerPage),
      nbPages: Math.ceil(total / hitsPerPage),
      hitsPerPage,
      query: "",
      params: "",
      processingTimeMS: 1,
      ...(to < total ? { cursor: encodeCursor(to, version) } : {}),
    };
    const withEntityTag = request.method === "GET";
    await sendBody(request, response, new CompressedBody(JSON.stringify(answer)), { withEntityTag });
  }

  async #readUpload(exchange: AdminExchange): Promise<Fields> {
    // Before the body: a stranger must not make the service read ten megabytes.
    this.#options.requireAdminAccess(exchange);
    const body = await this.#options.readJson(exchange.request, MAX_UPLOAD_BODY_BYTES);
    if (!isRecord(body)) throw new WireError(400, "Request body must be an object");
    return body;
  }

  #done({ request, response }: AdminExchange, fields: Fields): Promise<void> {
    return sendJson(request, response, { ...fields, taskID: this.#options.writer.lastTaskID });
  }
}

function allow(request: IncomingMessage, ...methods: readonly string[]): void {
  if (!methods.includes(request.method ?? "")) {
    throw new WireError(405, "Method not allowed", { allow: [...methods, "OPTIONS"].join(", ") });
  }
}

function encodeCursor(offset: number, version: string): string {
  return Buffer.from(JSON.stringify([offset, version])).toString("base64url");
}

/** @throws {WireError} 400 when the index was replaced since the cursor was given: the rest would not fit. */
function cursorOffset(cursor: unknown, version: string): number {
  if (cursor === undefined || cursor === null || cursor === "") return 0;
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(String(cursor), "base64url").toString("utf8"));
  } catch {
    throw new WireError(400, "cursor is not valid");
  }
  if (!Array.isArray(parsed) || !Number.isInteger(parsed[0]) || parsed[0] < 0)
    throw new WireError(400, "cursor is not valid");
  if (parsed[1] !== version) throw new WireError(400, "cursor is out of date: the index was replaced");
  return parsed[0];
}
