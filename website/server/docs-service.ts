/**
 * `/mcp`: the MCP server of the documentation on streamable HTTP, without sessions and without state, and the two documents by which
 * programs find it. What it costs is charged by the search service, whose engine it asks.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { readSystemCode } from "@toolhive/core/errors";
import { type AnswerRequest, createHttpAnswerer, type DocsLibrary, MAX_MESSAGE_BYTES } from "@toolhive/docs";
import { BodyFailure, readBody } from "@toolhive/http";
import { parseJson } from "@toolhive/http/values";
import { type SearchService, WireError } from "@toolhive/search";
import { type CallerRules, findRefusal } from "./allowed-callers.ts";
import { aiCatalog, CARD_TYPE, CATALOG_TYPE, serverCard } from "./discovery.ts";
import type { DocsStore } from "./docs-store.ts";
import { CARD_PATH, CATALOG_PATH, MCP_PATH } from "./mcp-paths.ts";
import { routeKey } from "./site-manifest.ts";

export interface DocsServiceOptions {
  readonly store: DocsStore;
  readonly search: Pick<SearchService, "admit">;
  /** Where the site says it is, without slash at the end; the documentation's own once it is loaded. */
  readonly siteUrl: string;
  /** Other names under which it may be asked. */
  readonly hosts: readonly string[];
  /** Called for failures that are not the caller's. */
  readonly onError: (error: unknown) => void;
}

const BODY_TIMEOUT_MS = 10_000;
/** Messages of one body; each costs a search. */
const MAX_MESSAGES = 20;
const DISCOVERY_MAX_AGE_S = 3600;
const JSON_RPC_REFUSED = -32_000;

const CORS_HEADERS = {
  "Access-Control-Allow-Methods": "POST, GET, OPTIONS",
  "Access-Control-Allow-Headers": "*, Authorization",
  "Access-Control-Expose-Headers": "Mcp-Protocol-Version, Mcp-Session-Id, Retry-After, WWW-Authenticate",
  "Access-Control-Max-Age": "86400",
} as const;

export class DocsService {
  readonly #options: DocsServiceOptions;
  readonly #answerers = new WeakMap<DocsLibrary, AnswerRequest>();

  constructor(options: DocsServiceOptions) {
    this.#options = options;
  }

  /** @returns false for a path that is not one of these. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const path = routeKey((request.url ?? "").split("?")[0] ?? "");
    if (path !== MCP_PATH && path !== CARD_PATH && path !== CATALOG_PATH) return false;
    response.setHeader("Content-Security-Policy", "default-src 'none'");
    try {
      const library = await this.#options.store.find();
      if (path === MCP_PATH) await this.#answerMcp(request, response, library);
      else this.#answerDiscovery(request, response, path, library);
    } catch (error) {
      this.#sendError(response, error);
    }
    return true;
  }

  #answerDiscovery(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    library: DocsLibrary | undefined,
  ): void {
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Access-Control-Allow-Methods", "GET");
    response.setHeader("Access-Control-Allow-Headers", "Content-Type");
    if (request.method === "OPTIONS") {
      response.writeHead(204).end();
      return;
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("Allow", "GET, HEAD, OPTIONS");
      throw new WireError(405, "Use GET.");
    }
    const { siteUrl, version } = library?.content ?? { siteUrl: this.#options.siteUrl, version: "0.0.0" };
    const [type, value] =
      path === CARD_PATH
        ? [CARD_TYPE, serverCard(siteUrl, version.replace(/^v/, ""))]
        : [CATALOG_TYPE, aiCatalog(siteUrl)];
    const body = `${JSON.stringify(value, undefined, 2)}\n`;
    response.setHeader("Content-Type", type);
    response.setHeader("Cache-Control", `public, max-age=${DISCOVERY_MAX_AGE_S}`);
    response.setHeader("Content-Length", Buffer.byteLength(body));
    response.writeHead(200).end(request.method === "HEAD" ? undefined : body);
  }

  async #answerMcp(
    request: IncomingMessage,
    response: ServerResponse,
    library: DocsLibrary | undefined,
  ): Promise<void> {
    const { host, origin } = request.headers;
    const rules: CallerRules = { ...this.#options, siteUrl: library?.content.siteUrl ?? this.#options.siteUrl };
    const refusal = findRefusal({ host, origin }, rules);
    if (refusal !== undefined) throw new WireError(403, refusal);
    if (origin !== undefined) {
      response.setHeader("Access-Control-Allow-Origin", origin);
      response.setHeader("Vary", "Origin");
      for (const [name, value] of Object.entries(CORS_HEADERS)) response.setHeader(name, value);
    }
    if (request.method === "OPTIONS") {
      response.writeHead(204).end();
      return;
    }
    if (library === undefined) {
      throw new WireError(503, "The documentation is not built: npm run build -w @toolhive/website", {
        "Retry-After": "10",
      });
    }
    const body = request.method === "POST" ? await readMessageBody(request) : "";
    const parsed = parseJson(body);
    const messages = countMessages(parsed);
    if (messages > MAX_MESSAGES) {
      throw new WireError(400, `The body has ${messages} messages, and at most ${MAX_MESSAGES} are answered.`);
    }
    await this.#options.search.admit(request, { searches: messages, characters: body.length }, async () => {
      await this.#exchange(request, response, { body, parsed }, this.#findAnswerer(library));
    });
  }

  /** From Node's request to the SDK's, and from its answer to Node's. A caller who leaves ends what is done for it. */
  async #exchange(
    request: IncomingMessage,
    response: ServerResponse,
    { body, parsed }: { readonly body: string; readonly parsed: unknown },
    answerRequest: AnswerRequest,
  ): Promise<void> {
    const left = new AbortController();
    response.once("close", () => {
      if (!response.writableFinished) left.abort();
    });
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
    }
    const answer = await answerRequest(
      new Request(`${this.#options.siteUrl}${MCP_PATH}`, {
        method: request.method ?? "POST",
        headers,
        signal: left.signal,
        // What is no JSON the SDK answers; all else it need not read again.
        ...(body !== "" && parsed === undefined && { body }),
      }),
      parsed,
    );
    for (const [name, value] of answer.headers) response.setHeader(name, value);
    if (answer.body === null) {
      response.writeHead(answer.status).end();
    } else if (answer.headers.get("content-type") === "application/json") {
      const text = Buffer.from(await answer.arrayBuffer());
      response.setHeader("Content-Length", text.length);
      response.writeHead(answer.status).end(text);
    } else {
      response.writeHead(answer.status);
      await pipeline(readChunks(answer.body), response);
    }
  }

  /** Each request has a server of its own; what they have in common is made once for a version of the pages. */
  #findAnswerer(library: DocsLibrary): AnswerRequest {
    const known = this.#answerers.get(library);
    if (known !== undefined) return known;
    const answerer = createHttpAnswerer(library, {
      describeOutage,
      onError: (error) => {
        if (!isGone(error)) this.#options.onError(error);
      },
    });
    this.#answerers.set(library, answerer);
    return answerer;
  }

  #sendError(response: ServerResponse, error: unknown): void {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      if (!isGone(error)) this.#options.onError(error);
      return;
    }
    const known = error instanceof WireError ? error : error instanceof BodyFailure ? describeBody(error) : undefined;
    if (known === undefined) this.#options.onError(error);
    const { status, message, headers } = known ?? new WireError(500, "The MCP server failed to answer.");
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: JSON_RPC_REFUSED, message } });
    response.setHeader("Content-Type", "application/json");
    response.setHeader("Content-Length", Buffer.byteLength(body));
    response.writeHead(status).end(body);
  }
}

/** Turns a stream of the web into one of Node; the SDK is informed when its reader stops. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function readMessageBody(request: IncomingMessage): Promise<string> {
  return (await readBody(request, { maxBytes: MAX_MESSAGE_BYTES, timeoutMs: BODY_TIMEOUT_MS })).toString("utf8");
}

function describeBody({ problem }: BodyFailure): WireError {
  switch (problem) {
    case "too-large":
      return new WireError(413, `The body is larger than ${MAX_MESSAGE_BYTES} bytes.`, { Connection: "close" });
    case "too-slow":
      return new WireError(408, "The body did not arrive in time.", { Connection: "close" });
    case "incomplete":
      return new WireError(400, "The body was cut off.");
  }
}

/** At least one: what is no JSON costs as much. */
function countMessages(parsed: unknown): number {
  return Array.isArray(parsed) ? Math.max(1, parsed.length) : 1;
}

/** What the search says while it has no index, as a sentence for the model that asked. */
function describeOutage(error: unknown): string | undefined {
  if (!(error instanceof WireError) && !(error instanceof Error && error.name === "EngineError")) return undefined;
  return "The search has no index of this version at the moment, so search_docs finds nothing. Pages can be read all the same: read_page with a path, resources/list for all of them.";
}

/** A caller who leaves in the middle of an answer is no failure of ours. */
function isGone(error: unknown): boolean {
  if (error instanceof Error && error.name === "AbortError") return true;
  return ["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE"].includes(readSystemCode(error) ?? "");
}
