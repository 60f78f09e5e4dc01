/** A client's message on its way through a bridge: passed on unchanged, and read only as far as HTTP needs it. */
import { isRecord, parseJson } from "@toolhive/http/values";

export type RequestId = string | number;

export interface BridgeMessage {
  /** One line of JSON. */
  readonly text: string;
  /** Absent for an answer and for a batch. */
  readonly method: string | undefined;
  /** Of the requests in it. */
  readonly ids: readonly RequestId[];
  /** Headers that repeat some of it, since revision 2026-07-28; empty for a message of a session. */
  readonly headers: Readonly<Record<string, string>>;
  /** URI of the resource that it is about, for subscriptions. */
  readonly uri: string | undefined;
}

const REVISION_KEY = "io.modelcontextprotocol/protocolVersion";
/** The parameter that `Mcp-Name` repeats. */
const NAME_SOURCES: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/** @returns `undefined` when it is no message of the protocol. */
export function readBridgeMessage(text: string): BridgeMessage | undefined {
  const value = parseJson(text);
  const parts = Array.isArray(value) ? value : [value];
  if (parts.length === 0 || !parts.every(isRecord)) return undefined;
  const ids = parts.filter(({ method }) => method !== undefined).flatMap(({ id }) => (isRequestId(id) ? [id] : []));
  const [first = {}] = parts;
  const method = !Array.isArray(value) && typeof first.method === "string" ? first.method : undefined;
  const params = isRecord(first.params) ? first.params : {};
  const uri = typeof params.uri === "string" ? params.uri : undefined;
  return { text, method, ids, uri, headers: method === undefined ? {} : repeatInHeaders(method, params) };
}

/** @returns Ids of answers in it, by the text in which they are compared. */
export function readAnsweredIds(text: string): { readonly value: unknown; readonly ids: readonly RequestId[] } {
  const value = parseJson(text);
  const parts = (Array.isArray(value) ? value : [value]).filter(isRecord);
  const ids = parts.filter(({ method }) => method === undefined).flatMap(({ id }) => (isRequestId(id) ? [id] : []));
  return { value, ids };
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || typeof id === "number";
}

function repeatInHeaders(method: string, params: Record<string, unknown>): Record<string, string> {
  const meta = isRecord(params._meta) ? params._meta : {};
  const revision = meta[REVISION_KEY];
  if (typeof revision !== "string") return {};
  const source = Object.hasOwn(NAME_SOURCES, method) ? NAME_SOURCES[method] : undefined;
  const name = source === undefined ? undefined : params[source];
  return {
    "mcp-protocol-version": encodeHeader(revision),
    "mcp-method": encodeHeader(method),
    ...(typeof name === "string" && { "mcp-name": encodeHeader(name) }),
  };
}

/** What no header can hold is sent in Base64, between the marks of the protocol. */
function encodeHeader(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?");
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
