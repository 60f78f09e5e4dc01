/** Bodies in and out: bounded reading, JSON answers with CORS headers, compression and entity tags. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { BodyFailure, chooseEncoding, matchesTag, readBody } from "@toolhive/http";
import { WireError } from "../wire/wire-error.ts";

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

type Encoding = "br" | "gzip" | "identity";
/** The preferred one first. */
const ENCODINGS = ["br", "gzip"] as const;

/** Smaller bodies travel in one packet anyway. */
const MIN_COMPRESSED_BYTES = 1_024;
/** Best bytes per millisecond for answers of 5–50 kB; higher levels cost more time than a fast network saves. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 5;

/** On every answer, errors too: without it a browser turns an error into a network failure and repeats the request. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "timing-allow-origin": "*",
  "x-content-type-options": "nosniff",
  // Answers are data. Opened as a document they must not run anything.
  "content-security-policy": "default-src 'none'",
} as const;

/**
 * Reads a request's body as text.
 *
 * @param maxBytes More is {@link WireError} 413.
 * @param timeoutMs A body that is not complete by then is 408, so that slow senders cannot hold connections.
 * @throws {WireError} also 400 when the sender disconnects; that answer is not read.
 */
export async function readTextBody(request: IncomingMessage, maxBytes: number, timeoutMs: number): Promise<string> {
  try {
    return (await readBody(request, { maxBytes, timeoutMs })).toString("utf8");
  } catch (error) {
    throw error instanceof BodyFailure ? createWireError(error, maxBytes) : error;
  }
}

function createWireError({ problem }: BodyFailure, maxBytes: number): WireError {
  const headers = { connection: "close" };
  switch (problem) {
    case "too-large":
      return new WireError(413, `Request body is larger than ${maxBytes} bytes`, headers);
    case "too-slow":
      return new WireError(408, "Request body did not arrive in time", headers);
    case "incomplete":
      return new WireError(400, "Request was cut off");
  }
}

/** A body that is compressed at most once per encoding, however often it is sent. */
export class CompressedBody {
  /** What is sent without compression: Node writes a string together with its headers, a buffer after them. */
  readonly text: string;
  /** Bytes of the text in UTF-8. */
  readonly length: number;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();
  #entityTag: string | undefined;

  constructor(text: string) {
    this.text = text;
    this.length = Buffer.byteLength(text);
  }

  get entityTag(): string {
    this.#entityTag ??= `"${createHash("sha1").update(this.text).digest("base64url").slice(0, 20)}"`;
    return this.#entityTag;
  }

  as(encoding: Encoding): Promise<Buffer> {
    const known = this.#compressed.get(encoding);
    if (known !== undefined) return known;
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: this.length,
    };
    const made = encoding === "br" ? brotliAsync(this.text, { params }) : gzipAsync(this.text, { level: GZIP_LEVEL });
    this.#compressed.set(encoding, made);
    return made;
  }
}

export interface SendOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Answer 304 to a matching `If-None-Match`; for GET only. */
  readonly withEntityTag?: boolean;
}

/** Sends a JSON body; resolves when it is handed to the system. A client that went away is not an error. */
export async function sendBody(
  request: IncomingMessage,
  response: ServerResponse,
  body: CompressedBody,
  { status = 200, headers = {}, withEntityTag = false }: SendOptions = {},
): Promise<void> {
  const tag = withEntityTag ? { etag: body.entityTag, "cache-control": "no-cache" } : { "cache-control": "no-store" };
  if (withEntityTag && matchesTag(request.headers["if-none-match"], body.entityTag)) {
    response.writeHead(304, { ...CORS_HEADERS, ...tag, ...headers }).end();
    return;
  }
  const accepted = chooseEncoding(request.headers["accept-encoding"], ENCODINGS) ?? "identity";
  const encoding = body.length < MIN_COMPRESSED_BYTES ? "identity" : accepted;
  const sent = encoding === "identity" ? body.text : await body.as(encoding);
  if (response.destroyed) return;
  response.writeHead(status, {
    ...CORS_HEADERS,
    "content-type": "application/json; charset=utf-8",
    vary: "accept-encoding",
    ...(encoding === "identity" ? {} : { "content-encoding": encoding }),
    ...tag,
    "content-length": typeof sent === "string" ? body.length : sent.length,
    ...headers,
  });
  response.end(request.method === "HEAD" ? undefined : sent);
}

export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  value: unknown,
  options: SendOptions = {},
): Promise<void> {
  return sendBody(request, response, new CompressedBody(JSON.stringify(value)), options);
}

/** The answer to a preflight. */
export function sendPreflight(response: ServerResponse): void {
  response
    .writeHead(204, {
      ...CORS_HEADERS,
      "access-control-allow-methods": "GET, POST, PUT, DELETE, OPTIONS",
      "access-control-allow-headers": "*",
      "access-control-max-age": "86400",
    })
    .end();
}
