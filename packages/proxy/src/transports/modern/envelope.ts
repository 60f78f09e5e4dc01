/**
 * Requests of protocol revision 2026-07-28: every one carries its revision, its client and the client's capabilities in
 * `_meta`, and mirrors some of its body in HTTP headers.
 */

import type { IncomingMessage } from "node:http";
import { isRecord } from "@toolhive/http/values";
import { HttpRefusal, readHeader } from "../../http/http-exchange.ts";
import type { ClientMessage } from "../../messages/client-message.ts";
import { RPC_ERRORS } from "../../messages/json-rpc.ts";
import { META } from "../../messages/meta-keys.ts";
import { MODERN_REVISION } from "../../messages/protocol-revisions.ts";

/** Which member of `params` the `Mcp-Name` header repeats. */
export const NAME_SOURCES = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

export interface ModernClient {
  readonly info: Readonly<Record<string, unknown>> | undefined;
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Of the log messages of this request that it wants; `undefined` when it wants none. */
  readonly logLevel: string | undefined;
}

function readMeta({ params }: ClientMessage): Readonly<Record<string, unknown>> {
  return isRecord(params._meta) ? params._meta : {};
}

/**
 * Whether a message is modern (2026-07-28 or later, without sessions): it names a revision in `_meta`, or the header
 * names such a revision.
 */
export function isModern(message: ClientMessage, revisionHeader: string | undefined): boolean {
  return META.revision in readMeta(message) || (revisionHeader !== undefined && revisionHeader >= MODERN_REVISION);
}

/** Checks `_meta` and the headers against each other. @throws {HttpRefusal} */
export function readModernClient(message: ClientMessage, request: IncomingMessage): ModernClient {
  const meta = readMeta(message);
  const claimed = meta[META.revision];
  const named = readHeader(request, "mcp-protocol-version")?.trim();
  if (typeof claimed !== "string") {
    throw new HttpRefusal(400, RPC_ERRORS.INVALID_PARAMS, `params._meta is missing "${META.revision}".`);
  }
  if (named !== undefined && named !== claimed) {
    throw createHeaderMismatch(`MCP-Protocol-Version is "${named}", the body says "${claimed}".`);
  }
  if (claimed !== MODERN_REVISION) {
    const data = { supported: [MODERN_REVISION], requested: claimed };
    throw new HttpRefusal(400, RPC_ERRORS.UNSUPPORTED_REVISION, `Unsupported protocol version: ${claimed}`, { data });
  }
  const capabilities = meta[META.capabilities];
  if (!isRecord(capabilities)) {
    throw new HttpRefusal(400, RPC_ERRORS.INVALID_PARAMS, `params._meta is missing "${META.capabilities}".`);
  }
  if (message.envelope.kind === "request") checkHeaders(message, request, named);
  const info = meta[META.clientInfo];
  const level = meta[META.logLevel];
  return {
    info: isRecord(info) ? info : undefined,
    capabilities,
    logLevel: typeof level === "string" ? level : undefined,
  };
}

function checkHeaders({ envelope, params }: ClientMessage, request: IncomingMessage, named: string | undefined): void {
  if (named === undefined) throw createHeaderMismatch("The MCP-Protocol-Version header is missing.");
  const method = readHeader(request, "mcp-method")?.trim();
  if (method === undefined) throw createHeaderMismatch("The Mcp-Method header is missing.");
  if (method !== envelope.method)
    throw createHeaderMismatch(`Mcp-Method is "${method}", the body says "${envelope.method}".`);
  const source = NAME_SOURCES.get(envelope.method);
  const value = source === undefined ? undefined : params[source];
  if (typeof value !== "string") return;
  const header = readHeader(request, "mcp-name")?.trim();
  if (header === undefined) throw createHeaderMismatch(`The Mcp-Name header is missing; it repeats params.${source}.`);
  if (decodeHeaderText(header) !== value) throw createHeaderMismatch(`Mcp-Name does not repeat params.${source}.`);
}

/**
 * Values that are not valid header text are sent as `=?base64?…?=`. @returns `undefined` when that is not well-formed.
 */
export function decodeHeaderText(header: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/s.exec(header)?.[1];
  if (encoded === undefined) return header;
  const isCanonical = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded);
  return isCanonical ? Buffer.from(encoded, "base64").toString("utf8") : undefined;
}

/** The other way: what is not plain header text is encoded. */
export function encodeHeaderText(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?");
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

export function createHeaderMismatch(message: string): HttpRefusal {
  return new HttpRefusal(400, RPC_ERRORS.HEADER_MISMATCH, `Header mismatch: ${message}`);
}
