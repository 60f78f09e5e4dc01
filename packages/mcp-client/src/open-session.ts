/** Opens a session with an MCP server, over the transport that its address selects. */
import type { ServerTarget } from "./exchange.ts";
import type { ClientSession, SessionHooks } from "./session.ts";
import { SseSession } from "./sse-session.ts";
import { StreamableSession } from "./streamable-session.ts";

export interface OpenOptions {
  /** Default: HTTP with SSE for an address that ends in `/sse`, streamable HTTP for any other. */
  readonly transport?: "sse" | "streamable-http";
  /** Ends the opening, not the session. */
  readonly signal?: AbortSignal;
}

/**
 * The caller sends `initialize`, and calls `establish` once the server has accepted it, then `listen`.
 *
 * @throws {NotDelivered | RefusedMessage | ForeignAddress} And the reason of the signal.
 */
export async function openSession(
  target: ServerTarget,
  hooks: SessionHooks,
  { transport = target.url.pathname.endsWith("/sse") ? "sse" : "streamable-http", signal }: OpenOptions = {},
): Promise<ClientSession> {
  return transport === "sse" ? await SseSession.open(target, hooks, signal) : new StreamableSession(target, hooks);
}
