/**
 * Keeps web pages away from an API on loopback. A page can resolve its own name to 127.0.0.1 (DNS rebinding), so the Host
 * header must name this server; and it can send requests across origins, so the Origin header must be on the list.
 */
import type { IncomingMessage } from "node:http";

export interface HostGuard {
  /** Names the server was told to answer to, without port, besides loopback. */
  readonly hosts: readonly string[];
  /** Origins of pages that may call the API, for example `http://localhost:3000`. */
  readonly origins: readonly string[];
}

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** @returns Why the request is refused, or `undefined` when it may pass. */
export function refusalOf(request: IncomingMessage, guard: HostGuard): string | undefined {
  const host = request.headers.host ?? "";
  const name = host.replace(/:\d+$/, "").toLowerCase();
  if (!LOOPBACK.includes(name) && !guard.hosts.includes(name)) return `Host "${host.slice(0, 100)}" is not this server`;
  const { origin } = request.headers;
  if (origin === undefined || guard.origins.includes(origin)) return undefined;
  return `Origin "${origin.slice(0, 100)}" may not use this API`;
}
