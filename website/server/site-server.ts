/**
 * The HTTP server of the site: answers from the build's manifest, hands `/1/…` to the search service, and closes in
 * order. Every answer carries the security headers; no answer depends on the file system's layout.
 */
import { open } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { readSystemCode } from "@toolhive/core/errors";
import { boundConnections, closeGracefully, matchesTag, PROMPT_TIMEOUTS, prefersType } from "@toolhive/http";
import { chooseFileEncoding, chooseRange, entityTag } from "./negotiate.ts";
import { resolveRequest } from "./resolve-request.ts";
import type { SiteFile, SiteManifest } from "./site-manifest.ts";

/** A service that answers some paths itself; `handle` gives `false` for those it does not know. */
interface MountedService {
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

export interface SiteServerOptions {
  /** Folder of the built site. */
  readonly siteDir: string;
  readonly manifest: SiteManifest;
  readonly services: readonly MountedService[];
  /** Called once per request after it ended. */
  readonly onAccess?: (entry: AccessEntry) => void;
  /** Called for failures that are not the client's. */
  readonly onError?: (error: unknown) => void;
}

interface AccessEntry {
  readonly method: string;
  /** Without the query, which may hold what a reader searched for. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Connections of all readers: a page needs six for a moment, and keeps one. */
const MAX_CONNECTIONS = 2_048;
/** Time for a whole request, and for its head; the site takes no large ones. Milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Time that an answer may lie unread, milliseconds. */
const SLOW_READER_MS = 30_000;
/** Time that running requests get when the server closes, milliseconds. */
const CLOSE_GRACE_MS = 5000;
const HASHED_MAX_AGE_S = 31_536_000;
const ASSET_MAX_AGE_S = 3600;

/** Describe a file, and no answer without one. */
const REPRESENTATION_HEADERS = ["ETag", "Content-Encoding", "Content-Range", "Content-Location", "Cache-Control"];

export interface SiteServer {
  readonly http: Server;
  /** Stops accepting, lets running requests finish (at most 5 seconds), then cuts the remaining ones. */
  close(): Promise<void>;
}

export function createSiteServer(options: SiteServerOptions): SiteServer {
  const { onAccess, onError } = options;
  const bounds = { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: HEADERS_TIMEOUT_MS, maxHeaderSize: 64 * 1024 };
  const http = createServer({ ...bounds, ...PROMPT_TIMEOUTS }, (request, response) => {
    const startedAt = performance.now();
    response.once("close", () => {
      onAccess?.({
        method: request.method ?? "",
        path: (request.url ?? "").split("?")[0]?.slice(0, 256) ?? "",
        status: response.statusCode,
        durationMs: performance.now() - startedAt,
      });
    });
    answer(request, response, options).catch((error: unknown) => {
      // A reader who leaves in the middle of an answer is no failure of ours.
      if (readSystemCode(error) === "ERR_STREAM_PREMATURE_CLOSE") return;
      onError?.(error);
      if (response.headersSent) response.destroy();
      else {
        for (const name of REPRESENTATION_HEADERS) response.removeHeader(name);
        sendText(response, 500, "The server failed to answer. Its log has the details.");
      }
    });
  });
  boundConnections(http, { max: MAX_CONNECTIONS, slowReaderMs: SLOW_READER_MS });
  return {
    http,
    close: () => closeGracefully(http, CLOSE_GRACE_MS),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, options: SiteServerOptions): Promise<void> {
  const { manifest, services } = options;
  response.setHeader("X-Content-Type-Options", "nosniff");
  for (const service of services) {
    if (await service.handle(request, response)) return;
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    sendText(response, 405, "The site is read-only: use GET or HEAD.");
    return;
  }
  const resolution = resolveRequest(request.url ?? "/", manifest);
  switch (resolution.kind) {
    case "file": {
      const { file, twin } = resolution;
      response.setHeader("Vary", twin === undefined ? "Accept-Encoding" : "Accept, Accept-Encoding");
      if (twin === undefined || !prefersType(request.headers.accept, "text/markdown", "text/html")) {
        return await sendFile(request, response, file, options, 200);
      }
      response.setHeader("Content-Location", twin.path);
      return await sendFile(request, response, twin.file, options, 200);
    }
    case "not-found":
      return await sendFile(request, response, resolution.file, options, 404);
    case "redirect":
      response.setHeader("Location", resolution.location);
      response.setHeader("Cache-Control", `public, max-age=${ASSET_MAX_AGE_S}`);
      return sendText(response, 301, `Moved to ${resolution.location}`);
    case "bad-request":
      return sendText(response, 400, resolution.reason);
    case "too-long":
      return sendText(response, 414, "The address is too long.");
  }
}

/** For everything that is not a page: nothing may run in it, should a browser be led to show it as one. */
const FILE_POLICY = "default-src 'none'; sandbox";

/** Pages carry the whole set; files carry what concerns files, as fifty of them make one page. */
function setPageHeaders(response: ServerResponse, manifest: SiteManifest): void {
  response.setHeader("Content-Security-Policy", manifest.contentSecurityPolicy);
  response.setHeader("X-Frame-Options", "DENY");
  response.setHeader("Referrer-Policy", "strict-origin-when-cross-origin");
  response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
  response.setHeader("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()");
}

async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: SiteFile,
  { siteDir, manifest }: SiteServerOptions,
  status: 200 | 404,
): Promise<void> {
  const isPage = file.type.startsWith("text/html");
  const encoding =
    request.headers.range === undefined ? chooseFileEncoding(request.headers["accept-encoding"], file) : undefined;
  const tag = entityTag(file, encoding);
  if (isPage) setPageHeaders(response, manifest);
  else response.setHeader("Content-Security-Policy", FILE_POLICY);
  response.setHeader("Content-Type", file.type);
  response.setHeader("ETag", tag);
  if (!response.hasHeader("Vary")) response.setHeader("Vary", "Accept-Encoding");
  response.setHeader("Accept-Ranges", "bytes");
  response.setHeader("Cache-Control", cacheControl(file, isPage || response.hasHeader("Content-Location"), status));
  if (status === 200 && matchesTag(request.headers["if-none-match"], tag)) {
    response.writeHead(304).end();
    return;
  }

  const isRangeCurrent = request.headers["if-range"] === undefined || request.headers["if-range"] === tag;
  const range = chooseRange(status === 200 && isRangeCurrent ? request.headers.range : undefined, file.bytes);
  if (range.kind === "unsatisfiable") {
    response.setHeader("Content-Range", `bytes */${file.bytes}`);
    return sendText(response, 416, `The file has ${file.bytes} bytes.`);
  }
  const extent = range.kind === "part" ? { start: range.first, end: range.last } : {};
  if (range.kind === "part") {
    response.setHeader("Content-Range", `bytes ${range.first}-${range.last}/${file.bytes}`);
    response.setHeader("Content-Length", range.last - range.first + 1);
  } else {
    response.setHeader("Content-Length", (encoding && file.encoded[encoding]) ?? file.bytes);
  }
  if (encoding !== undefined) response.setHeader("Content-Encoding", encoding);
  if (request.method === "HEAD") {
    response.writeHead(status).end();
    return;
  }
  // Opened before the head is sent, so that a missing file causes a 500 and not half an answer.
  const suffix = encoding === undefined ? "" : SUFFIXES[encoding];
  const handle = await open(path.join(siteDir, file.path + suffix));
  response.writeHead(range.kind === "part" ? 206 : status);
  await pipeline(handle.createReadStream(extent), response);
}

const SUFFIXES = { br: ".br", gzip: ".gz" } as const;

function cacheControl(file: SiteFile, isPage: boolean, status: 200 | 404): string {
  if (status === 404 || isPage) return "no-cache";
  return file.isImmutable ? `public, max-age=${HASHED_MAX_AGE_S}, immutable` : `public, max-age=${ASSET_MAX_AGE_S}`;
}

function sendText(response: ServerResponse, status: number, text: string): void {
  const body = `${text}\n`;
  response.setHeader("Content-Security-Policy", FILE_POLICY);
  response.setHeader("Content-Type", "text/plain; charset=utf-8");
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.writeHead(status).end(body);
}
