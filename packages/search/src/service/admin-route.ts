/** Reading and writing whole indexes: browse, settings, batch, move. Writing needs the admin key. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { OwnEngine } from "../engine/memory/memory-engine.ts";
import type { SearchRecord } from "../records/search-record.ts";
import { escapeTexts } from "../wire/escape-record.ts";
import { WireError } from "../wire/wire-error.ts";
import { CompressedBody, sendBody, sendJson } from "./http.ts";
import { type IndexWriter, isTextHtml } from "./index-writer.ts";
import type { SearchableIndex } from "./search-route.ts";

/** A batch of records; the provider's advice is 10 MB. */
const MAX_UPLOAD_BODY_BYTES = 10 * 2 ** 20;
/** Records in one answer, the provider's limit. */
const MAX_BROWSED = 1_000;

type Fields = Readonly<Record<string, unknown>>;

export interface AdminRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly name: string;
  readonly verb: string | undefined;
  readonly argument: string | undefined;
  readonly params: URLSearchParams;
}

export interface AdminRouteOptions {
  readonly writer: IndexWriter;
  /** @throws {WireError} 404 or 503. */
  readonly indexOf: (name: string) => SearchableIndex | Promise<SearchableIndex>;
  readonly readJson: (req: IncomingMessage, maxBytes: number) => Promise<unknown>;
  /** @throws {WireError} 403. */
  readonly requireSearchAccess: (request: AdminRequest) => void;
  /** @throws {WireError} 403. */
  readonly requireAdminAccess: (request: AdminRequest) => void;
  readonly today: () => Date;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export class AdminRoute {
  readonly #options: AdminRouteOptions;

  constructor(options: AdminRouteOptions) {
    this.#options = options;
  }

  /** `GET /1/indexes`. */
  async list(request: AdminRequest): Promise<void> {
    allow(request.req, "GET");
    this.#options.requireAdminAccess(request);
    const items = this.#options.writer.list();
    await sendJson(request.req, request.res, { items, nbPages: 1 });
  }

  /** Everything below `/1/indexes/{name}` that is not a search. @returns false when there is no such path. */
  async handle(request: AdminRequest): Promise<boolean> {
    const { req, verb, argument } = request;
    if (verb === undefined) await this.#delete(request);
    else if (verb === "task" && argument !== undefined) await this.#task(request, argument);
    else if (argument !== undefined) return false;
    else if (verb === "settings")
      await (req.method === "PUT" ? this.#putSettings(request) : this.#getSettings(request));
    else if (verb === "browse") await this.#browse(request);
    else if (verb === "batch") await this.#batch(request);
    else if (verb === "operation") await this.#operation(request);
    else if (verb === "clear") await this.#clear(request);
    else return false;
    return true;
  }

  async #getSettings(request: AdminRequest): Promise<void> {
    allow(request.req, "GET", "PUT");
    this.#options.requireSearchAccess(request);
    const { settings } = await this.#options.indexOf(request.name);
    const body = new CompressedBody(JSON.stringify(settings));
    await sendBody(request.req, request.res, body, { withEntityTag: true });
  }

  async #putSettings(request: AdminRequest): Promise<void> {
    const body = await this.#readUpload(request);
    await this.#options.writer.setSettings(request.name, body);
    await this.#done(request, { updatedAt: this.#options.today().toISOString() });
  }

  async #batch(request: AdminRequest): Promise<void> {
    allow(request.req, "POST");
    const body = await this.#readUpload(request);
    const objectIDs = await this.#options.writer.batch(request.name, body.requests);
    await this.#done(request, { objectIDs });
  }

  async #operation(request: AdminRequest): Promise<void> {
    allow(request.req, "POST");
    const { operation, destination, scope } = await this.#readUpload(request);
    if (typeof destination !== "string" || destination === "") throw new WireError(400, "destination is missing");
    if (scope !== undefined && scope !== null && !Array.isArray(scope))
      throw new WireError(400, "scope must be an array");
    await this.#options.writer.operate(operation, request.name, destination, scope ?? undefined);
    await this.#done(request, { updatedAt: this.#options.today().toISOString() });
  }

  async #clear(request: AdminRequest): Promise<void> {
    allow(request.req, "POST");
    this.#options.requireAdminAccess(request);
    await this.#options.writer.clear(request.name);
    await this.#done(request, { updatedAt: this.#options.today().toISOString() });
  }

  async #delete(request: AdminRequest): Promise<void> {
    allow(request.req, "DELETE");
    this.#options.requireAdminAccess(request);
    await this.#options.writer.delete(request.name);
    await this.#done(request, { deletedAt: this.#options.today().toISOString() });
  }

  /** Writes are done when they are answered, so every task that exists is published. */
  async #task(request: AdminRequest, argument: string): Promise<void> {
    allow(request.req, "GET");
    this.#options.requireAdminAccess(request);
    const task = Number(argument);
    if (!Number.isInteger(task) || task < 1 || task > this.#options.writer.lastTaskID) {
      throw new WireError(404, `Task ${argument.slice(0, 40)} does not exist`);
    }
    await sendJson(request.req, request.res, { status: "published", pendingTask: false });
  }

  async #browse(request: AdminRequest): Promise<void> {
    const { req, res, name, params } = request;
    allow(req, "GET", "POST");
    this.#options.requireSearchAccess(request);
    const body = req.method === "POST" ? await this.#options.readJson(req, 64 * 1024) : Object.fromEntries(params);
    const fields = isFields(body) ? body : {};
    const { engine, version, settings } = await this.#options.indexOf(name);
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
      ...(to < total ? { cursor: cursorOf(to, version) } : {}),
    };
    const withEntityTag = req.method === "GET";
    await sendBody(req, res, new CompressedBody(JSON.stringify(answer)), { withEntityTag });
  }

  async #readUpload(request: AdminRequest): Promise<Fields> {
    // Before the body: a stranger must not make the service read ten megabytes.
    this.#options.requireAdminAccess(request);
    const body = await this.#options.readJson(request.req, MAX_UPLOAD_BODY_BYTES);
    if (!isFields(body)) throw new WireError(400, "Request body must be an object");
    return body;
  }

  #done({ req, res }: AdminRequest, fields: Fields): Promise<void> {
    return sendJson(req, res, { ...fields, taskID: this.#options.writer.lastTaskID });
  }
}

function allow(req: IncomingMessage, ...methods: readonly string[]): void {
  if (!methods.includes(req.method ?? "")) {
    throw new WireError(405, "Method not allowed", { allow: [...methods, "OPTIONS"].join(", ") });
  }
}

function cursorOf(offset: number, version: string): string {
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
