/**
 * Requests that were meant for another program: a hostile server can lead a client of MCP here, with a redirect or with metadata
 * of OAuth. Such a client is no browser, so its requests have no Origin; but their form reveals what they are.
 */
import type { IncomingHttpHeaders } from "node:http";
import { parseJson, quote } from "@toolhive/http/values";
import { MCP_TEXT, TYPE_TEXT } from "../contract/parts/operation.ts";

/** Why a request is refused. */
export interface ForeignRequest {
  readonly status: 400 | 415;
  /** First line of the plain text form. */
  readonly text: string;
  readonly detail: string;
  readonly hint: string;
}

const MCP_HINT = "The MCP endpoint of a server is its url: GET /api/v1beta/workloads";
const MAX_SHOWN = 60;
/** Members that make a body a message of another protocol, with the protocol. RFC 7591 requires the second. */
const FOREIGN_MEMBERS = new Map([
  ["jsonrpc", "a message of JSON-RPC"],
  ["redirect_uris", "a registration of an OAuth client"],
]);
/** No other text can have such a member, so that most are parsed once only. */
const MAY_BE_FOREIGN = new RegExp(`${[...FOREIGN_MEMBERS.keys()].join("|")}|\\\\u`);

/** What the headers alone show. No client of this API has a reason to send one of MCP. */
export function findForeignHeader(headers: IncomingHttpHeaders): ForeignRequest | undefined {
  const name = Object.keys(headers).find((header) => header.startsWith("mcp-"));
  if (name === undefined) return undefined;
  const detail = `The request has the header ${name.slice(0, MAX_SHOWN)}, which clients send to MCP servers; this is the API.`;
  return { status: 400, text: MCP_TEXT, detail, hint: MCP_HINT };
}

/** @param text The body. An empty one is accepted. */
export function findForeignBody(
  { "content-type": type = "" }: IncomingHttpHeaders,
  text: string,
): ForeignRequest | undefined {
  if (text === "") return undefined;
  if (!/^application\/json\s*(?:;|$)/i.test(type.trim())) {
    const found = type === "" ? "has no Content-Type" : `has the Content-Type ${quote(type, MAX_SHOWN)}`;
    return {
      status: 415,
      text: TYPE_TEXT,
      detail: `The request ${found}, but its body must be application/json.`,
      hint: "Send the header with it: curl --header 'content-type: application/json' --data '{…}' URL",
    };
  }
  const kind = MAY_BE_FOREIGN.test(text) ? findKind(text) : undefined;
  if (kind === undefined) return undefined;
  return { status: 400, text: MCP_TEXT, detail: `The body is ${kind}, and this is the API.`, hint: MCP_HINT };
}

function findKind(text: string): string | undefined {
  // The reader of the body reports a text that is not JSON.
  const value = parseJson(text);
  // A batch is a list of messages.
  for (const message of Array.isArray(value) ? value : [value]) {
    if (typeof message !== "object" || message === null) continue;
    for (const [name, kind] of FOREIGN_MEMBERS) if (Object.hasOwn(message, name)) return kind;
  }
  return undefined;
}
