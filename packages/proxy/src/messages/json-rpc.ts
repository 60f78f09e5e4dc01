/**
 * JSON-RPC 2.0 envelopes at byte level: the kind of a message, the position of its id, and the error replies of the
 * endpoint itself.
 */
import { findMembers, type Span, skipSpace } from "./json-scanner.ts";

type MessageKind = "request" | "notification" | "response";

/** One message with the positions of what may be rewritten. */
export interface Envelope {
  readonly kind: MessageKind;
  readonly text: Buffer;
  /** Present for requests and responses. */
  readonly id: Span | undefined;
  /** Empty for responses. */
  readonly method: string;
  readonly params: Span | undefined;
  readonly result: Span | undefined;
}

const MEMBERS = ["jsonrpc", "id", "method", "params", "result", "error"] as const;
const QUOTE = 0x22;
const MINUS = 0x2d;

export function isIdStart(byte: number | undefined): boolean {
  return byte === QUOTE || byte === MINUS || (byte !== undefined && byte >= 0x30 && byte <= 0x39);
}

/** @returns `undefined` when the text is not exactly one JSON-RPC 2.0 message with a string or number id. */
export function readEnvelope(text: Buffer): Envelope | undefined {
  const start = skipSpace(text, 0);
  const found = findMembers(text, start, MEMBERS);
  if (found === undefined || skipSpace(text, found.end) !== text.length) return undefined;
  const [version, id, method, params, result, error] = found.spans;
  if (version === undefined || text.toString("latin1", version.start, version.end) !== '"2.0"') return undefined;
  if (id !== undefined && !isIdStart(text[id.start])) return undefined;
  if (method !== undefined) {
    const name = readString(text, method);
    if (name === undefined || name === "" || result !== undefined || error !== undefined) return undefined;
    return { kind: id === undefined ? "notification" : "request", text, id, method: name, params, result };
  }
  if (id === undefined || (result === undefined) === (error === undefined)) return undefined;
  return { kind: "response", text, id, method: "", params: undefined, result };
}

/** Reads a JSON string. @returns `undefined` for another kind of value. */
export function readString(text: Buffer, span: Span | undefined): string | undefined {
  if (span === undefined || text[span.start] !== QUOTE) return undefined;
  const raw = text.toString("utf8", span.start + 1, span.end - 1);
  if (!raw.includes("\\")) return raw;
  try {
    const value: unknown = JSON.parse(`"${raw}"`);
    return typeof value === "string" ? value : undefined;
  } catch {
    // An invalid escape: not a JSON string.
    return undefined;
  }
}

/** Reads a JSON number. @returns `undefined` for another kind of value. */
export function readNumber(text: Buffer, span: Span | undefined): number | undefined {
  if (span === undefined || text[span.start] === QUOTE) return undefined;
  const value = Number(text.toString("latin1", span.start, span.end));
  return Number.isNaN(value) ? undefined : value;
}

/**
 * The id of an answer to a request of ours, which has a number. Some give it back as a text, `"1"` for `1`, and the official SDKs
 * take that.
 */
export function readAnswerId(text: Buffer, span: Span | undefined): number | undefined {
  const name = readString(text, span);
  if (name === undefined) return readNumber(text, span);
  return /^\d{1,15}$/.test(name) ? Number(name) : undefined;
}

/** Copies a span, so that holding it does not hold the whole message in memory. */
export function copySpan(text: Buffer, span: Span): Buffer {
  const copy = Buffer.allocUnsafe(span.end - span.start);
  text.copy(copy, 0, span.start, span.end);
  return copy;
}

/**
 * Codes of the errors that the endpoint itself sends, by number. -32700 to -32600 are JSON-RPC's own. The official SDKs
 * give -32000 and -32001 the same meanings as here.
 */
export const RPC_ERRORS = {
  /** The body is not JSON. */
  PARSE: -32700,
  INTERNAL: -32603,
  INVALID_PARAMS: -32602,
  METHOD_NOT_FOUND: -32601,
  /** The body is JSON but no valid message, or the message is not allowed here. */
  INVALID_REQUEST: -32600,
  /** 2026-07-28: the endpoint does not speak the revision; `data` lists those that it speaks. */
  UNSUPPORTED_REVISION: -32022,
  /** 2026-07-28: the request needs a capability that its client did not declare; `data` names it. */
  MISSING_CAPABILITY: -32021,
  /** 2026-07-28: a header and the body disagree. */
  HEADER_MISMATCH: -32020,
  /** A policy denies it; the request was never sent. */
  DENIED: -32013,
  /** A request of the server needs a client, and none is connected. */
  NO_CLIENT: -32012,
  /** A bound of the endpoint is reached; the request was never sent. */
  TOO_MANY: -32011,
  /** No server process received the request; the client can repeat it safely. */
  SERVER_UNAVAILABLE: -32010,
  /** The server sent no answer in time. Shares its number with `SESSION_UNKNOWN`, which is only sent with HTTP 404. */
  TIMEOUT: -32001,
  /** The session is unknown or has ended; always with HTTP 404. Shares its number with `TIMEOUT`, as in the SDKs. */
  SESSION_UNKNOWN: -32001,
  /** The server process ended with the request in flight; it may or may not have acted on it. */
  SERVER_GONE: -32000,
} as const;

const NULL_ID = Buffer.from("null");

/** @param id The raw JSON of the request's id; `null` when it is unknown. */
export function createErrorReply(
  id: Buffer | undefined,
  code: number,
  message: string,
  data?: Readonly<Record<string, unknown>>,
): Buffer {
  const error = JSON.stringify({ code, message, data });
  return Buffer.from(`{"jsonrpc":"2.0","id":${(id ?? NULL_ID).toString("utf8")},"error":${error}}`);
}

/** @param result Raw JSON. */
export function createResultReply(id: Buffer, result: Buffer | string): Buffer {
  return Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":'),
    id,
    Buffer.from(',"result":'),
    typeof result === "string" ? Buffer.from(result) : result,
    Buffer.from("}"),
  ]);
}

export function createNotification(method: string, params?: Readonly<Record<string, unknown>>): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: "2.0", method, params }));
}
