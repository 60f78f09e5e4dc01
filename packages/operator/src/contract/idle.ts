/** How the operator asks a proxy whether anybody calls its server. */
import { createHmac } from "node:crypto";

/** On the port of the runner's health, by POST. The parameters are those of {@link IdleQuestion}. */
export const IDLE_PATH = "/idle";

/**
 * `awake`: the server is ready, calls may pass. `ask`: the operator asks the proxy to hold calls, because there were none for
 * some time; the proxy holds them for some seconds, in which the operator stops the server or does nothing. `asleep`: the server
 * is stopped; the proxy answers when a call arrives.
 */
export type IdlePhase = "awake" | "ask" | "asleep";

export interface IdleQuestion {
  readonly phase: IdlePhase;
  /** For `ask`: milliseconds without a call, above 0. */
  readonly afterMs: number;
  /** For `asleep`: milliseconds after which the proxy answers without a call, 0 to {@link MAX_WAIT_MS}. */
  readonly waitMs: number;
  /** For `awake`: addresses of the server's pods, which its name leads to only some seconds later. At most {@link MAX_SERVERS}. */
  readonly servers: readonly string[];
}

export interface IdleAnswer {
  /** Milliseconds since the last call ended; 0 while one is answered, or a stream is open. */
  readonly idleForMs: number;
  /** Whether the proxy holds calls until the server is ready. */
  readonly isHolding: boolean;
  /** Whether a call waits. */
  readonly isWanted: boolean;
}

export const MAX_SERVERS = 100;
export const MAX_WAIT_MS = 30_000;

/** The token that proves that the operator asks: only it and the proxy have the key of sessions. @param key 32 bytes. */
export function deriveIdleToken(key: Buffer): string {
  return createHmac("sha256", key).update("toolhive: may this server sleep").digest("base64url");
}
