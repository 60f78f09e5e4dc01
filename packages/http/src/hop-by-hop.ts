/** Headers that belong to one connection and not to the message, so that a proxy does not forward them (RFC 9110, 7.6.1). */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";

const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** @param name In lower case. */
export function isHopByHop(name: string): boolean {
  return HOP_BY_HOP.has(name);
}

/** @returns The names of other headers that a `Connection` header lists, in lower case. */
export function parseHeaderNames(connection: string): ReadonlySet<string> {
  return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}

/** The headers to forward, without those of this connection. */
export function removeHopByHop({ headers }: IncomingMessage): OutgoingHttpHeaders {
  const named = parseHeaderNames(headers.connection ?? "");
  const kept: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!HOP_BY_HOP.has(name) && !named.has(name)) kept[name] = value;
  }
  return kept;
}
