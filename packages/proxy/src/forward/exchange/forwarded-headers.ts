/**
 * Which headers pass between clients and servers. Of a server's answer a client gets those that MCP needs: any other could send the
 * client, or its next request, past this endpoint, or leave something behind in a browser for all of this machine.
 */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { isHopByHop, parseHeaderNames } from "@toolhive/http";
import { readHeader, SESSION_HEADER } from "../../http/http-exchange.ts";
import { encodeHeaderText } from "../../transports/modern/envelope.ts";
import { readAnswerType } from "../answer/answer-type.ts";
import type { AnswerHead } from "../answer/server-answer.ts";
import type { ForwardedExchange } from "./forward.ts";

const TO_CLIENT =
  /^(?:content-type|content-length|content-encoding|content-language|cache-control|date|retry-after|allow|x-accel-buffering|mcp-[a-z0-9-]+)$/;
/** What asks a client to sign in at the server by itself. */
const CHALLENGE = "www-authenticate";
/** A browser that opens such an answer runs nothing of it, in an origin without rights. */
const INERT = {
  "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};
/** How connections say that they are kept or closed: no other header is named. */
const PLAIN_CONNECTION = /^(?:keep-alive|close)$/i;
/** Clients wait for the server's consent with our listener, which gives it. */
const EXPECT = "expect";

/** The names that belong to one connection besides those that always do. */
function readNamed({ connection }: IncomingHttpHeaders): ReadonlySet<string> | undefined {
  return connection === undefined || PLAIN_CONNECTION.test(connection) ? undefined : parseHeaderNames(connection);
}

/** Headers of a client's request as its server gets them, names and values in turn. */
export function buildForwardedHeaders(exchange: ForwardedExchange, body: Buffer | undefined): string[] {
  const { incoming, called, route, remote } = exchange;
  const { headers } = incoming;
  const named = readNamed(headers);
  const sent: string[] = [];
  const isEmpty = body === undefined || (body.length === 0 && headers["transfer-encoding"] === undefined);
  for (const name in headers) {
    if (isHopByHop(name) || named?.has(name) === true) continue;
    const value = headers[name];
    if (value === undefined || isReplaced(name, exchange, isEmpty)) continue;
    if (remote !== undefined && !remote.passes(name)) continue;
    if (typeof value === "string") sent.push(name, value);
    else for (const each of value) sent.push(name, each);
  }
  if (!isEmpty) sent.push("content-length", String(body.length));
  if (called !== undefined && headers["mcp-name"] !== undefined) sent.push("mcp-name", encodeHeaderText(called));
  if (route?.sessionId !== undefined) sent.push(SESSION_HEADER, route.sessionId);
  if (remote !== undefined) {
    remote.addHeaders(sent);
    return sent;
  }
  const before = readHeader(incoming, "x-forwarded-for");
  const client = incoming.socket.remoteAddress ?? "unknown";
  sent.push("x-forwarded-for", before === undefined ? client : `${before}, ${client}`);
  return sent;
}

/** Whether a header of the client is left out, or has another value. */
function isReplaced(
  name: string,
  { called, route, remote, settings, isRead }: ForwardedExchange,
  isEmpty: boolean,
): boolean {
  switch (name) {
    case "content-length":
      return !isEmpty;
    case "mcp-name":
      return called !== undefined;
    case SESSION_HEADER:
      return route?.sessionId !== undefined;
    case "x-forwarded-for":
      return remote === undefined;
    // A partial or compressed answer could not be parsed.
    case "accept-encoding":
    case EXPECT:
      return true;
    case "range":
      return isRead;
    // The token was issued for this endpoint; a server that received it could impersonate the caller elsewhere.
    case "authorization":
      return !settings.keepsAuthorization;
    default:
      return false;
  }
}

/** Headers of the answer to the client, with the client's id of the session. */
export function readHeaders(
  answer: AnswerHead,
  { sealId, remote }: Pick<ForwardedExchange, "sealId" | "remote">,
): OutgoingHttpHeaders {
  const named = readNamed(answer.headers);
  const isChallenged = remote === undefined || remote.isHandedOn;
  const kept: OutgoingHttpHeaders = {};
  for (const name in answer.headers) {
    const isKept = TO_CLIENT.test(name) || (isChallenged && name === CHALLENGE);
    if (isKept && named?.has(name) !== true) kept[name] = answer.headers[name];
  }
  if (!readAnswerType(answer).isOfMcp) Object.assign(kept, INERT);
  const own = readHeader(answer, SESSION_HEADER);
  if (sealId !== undefined && own !== undefined) kept[SESSION_HEADER] = sealId(own);
  return kept;
}
