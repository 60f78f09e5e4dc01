/**
 * Which headers pass between clients and servers. Of a server's answer a client gets those that MCP needs: any other could send the
 * client, or its next request, past this endpoint, or leave something behind in a browser for all of this machine.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { removeHopByHop } from "@toolhive/http";
import { readHeader, SESSION_HEADER } from "../http/http-exchange.ts";
import { encodeHeaderText } from "../transports/modern/envelope.ts";
import type { ForwardOptions } from "./http-forward.ts";

const TO_CLIENT =
  /^(?:content-type|content-length|content-encoding|content-language|cache-control|date|retry-after|allow|x-accel-buffering|mcp-[a-z0-9-]+)$/;
/** What asks a client to sign in at the server by itself. */
const CHALLENGE = "www-authenticate";
/** No comma: browsers take the last of several types. */
const OF_MCP = /^\s*(?:application\/json|text\/event-stream)\s*(?:;[^,]*)?$/i;
/** A browser that opens such an answer runs nothing of it, in an origin without rights. */
const INERT = {
  "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};

/** @param isChallenged Whether clients sign in at the server by themselves. */
function readAnswerHeaders(answer: IncomingMessage, isChallenged: boolean): OutgoingHttpHeaders {
  const whole = removeHopByHop(answer);
  const headers: OutgoingHttpHeaders = {};
  for (const name in whole) {
    if (TO_CLIENT.test(name) || (isChallenged && name === CHALLENGE)) headers[name] = whole[name];
  }
  return OF_MCP.test(readHeader(answer, "content-type") ?? "") ? headers : { ...headers, ...INERT };
}

/** Whether some client reads it as a stream of events: some go by a part of the type. */
export function isEventStream({ headers }: IncomingMessage): boolean {
  return /text\/event-stream/i.test(headers["content-type"] ?? "");
}

/** Headers of a client's request as its server gets them. */
export function buildForwardedHeaders(
  incoming: IncomingMessage,
  { keepsAuthorization, change, body, called, remote, route }: ForwardOptions,
): OutgoingHttpHeaders {
  const headers = removeHopByHop(incoming);
  if (body !== undefined && (body.length > 0 || incoming.headers["transfer-encoding"] !== undefined))
    headers["content-length"] = body.length;
  if (called !== undefined && headers["mcp-name"] !== undefined) headers["mcp-name"] = encodeHeaderText(called);
  if (route?.sessionId !== undefined) headers[SESSION_HEADER] = route.sessionId;
  // A partial or compressed answer could not be parsed.
  delete headers["accept-encoding"];
  if (change !== undefined) delete headers.range;
  // The token was issued for this endpoint; a server that received it could impersonate the caller elsewhere.
  if (!keepsAuthorization) delete headers.authorization;
  if (remote !== undefined) return remote.buildHeaders(headers);
  const before = readHeader(incoming, "x-forwarded-for");
  const client = incoming.socket.remoteAddress ?? "unknown";
  headers["x-forwarded-for"] = before === undefined ? client : `${before}, ${client}`;
  return headers;
}

/** Headers of the answer to the client, with the client's id of the session. */
export function readHeaders(
  answer: IncomingMessage,
  { sealId, remote }: Pick<ForwardOptions, "sealId" | "remote">,
): OutgoingHttpHeaders {
  const headers = readAnswerHeaders(answer, remote === undefined || remote.isHandedOn);
  const own = readHeader(answer, SESSION_HEADER);
  if (sealId !== undefined && own !== undefined) headers[SESSION_HEADER] = sealId(own);
  return headers;
}

/** Whether a client may read messages from it: some clients check only a part of the type. */
export function isForClients({ headers }: IncomingMessage): boolean {
  return /application\/json|text\/event-stream/i.test(headers["content-type"] ?? "");
}
