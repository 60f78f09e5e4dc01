/** Requests of a group to a server of revision 2026-07-28: each one says for whom it asks, and repeats a part of itself in headers. */
import { isRecord, parseJson } from "@toolhive/http/values";
import { type ClientSession, RefusedMessage } from "@toolhive/mcp-client";
import { copySpan, type Envelope, readEnvelope } from "../../messages/json-rpc.ts";
import { META } from "../../messages/meta-keys.ts";
import { MODERN_REVISION } from "../../messages/protocol-revisions.ts";
import { encodeHeaderText, NAME_SOURCES } from "../../transports/modern/envelope.ts";
import type { ToolHeaders } from "../../transports/modern/tool-headers.ts";

type Members = Readonly<Record<string, unknown>>;

/** Of a server that says nothing about itself. */
const ALL_LISTS = Buffer.from('{"capabilities":{"tools":{},"prompts":{},"resources":{}}}');

/** @param initialize Raw JSON of the `params` of `initialize`. @returns The members of `_meta` that say the same. */
export function readRequestEnvelope(initialize: string): Members {
  const params = parseJson(initialize);
  const { clientInfo, capabilities } = isRecord(params) ? params : {};
  return { [META.revision]: MODERN_REVISION, [META.clientInfo]: clientInfo, [META.capabilities]: capabilities ?? {} };
}

export function buildRequestHeaders({ method, params, text }: Envelope, tools: ToolHeaders): Record<string, string> {
  const headers: Record<string, string> = { "mcp-protocol-version": MODERN_REVISION, "mcp-method": method };
  const source = NAME_SOURCES.get(method);
  if (source === undefined || params === undefined) return headers;
  const value = parseJson(text.toString("utf8", params.start, params.end));
  const given = isRecord(value) ? value : {};
  const { [source]: name } = given;
  if (typeof name === "string") headers["mcp-name"] = encodeHeaderText(name);
  return method === "tools/call" ? { ...headers, ...tools.build(given) } : headers;
}

/**
 * Asks a server what it is.
 *
 * @param isCertain Whether it has said that it knows no sessions. @returns Raw JSON; `undefined` when it is no server of the revision.
 */
export async function discover(
  session: ClientSession,
  { initialize, signal, isCertain }: { readonly initialize: string; readonly signal: AbortSignal; isCertain: boolean },
): Promise<Buffer | undefined> {
  const method = "server/discover";
  const request = { jsonrpc: "2.0", id: 1, method, params: { _meta: readRequestEnvelope(initialize) } };
  const unknown = isCertain ? ALL_LISTS : undefined;
  try {
    const answer = await session.request({
      body: [Buffer.from(JSON.stringify(request))],
      headers: { "mcp-protocol-version": MODERN_REVISION, "mcp-method": method },
      isAnswer: (text) => readEnvelope(text)?.kind === "response",
      signal,
    });
    const result = readEnvelope(answer)?.result;
    return result === undefined ? unknown : copySpan(answer, result);
  } catch (error) {
    if (error instanceof RefusedMessage) return unknown;
    throw error;
  }
}
