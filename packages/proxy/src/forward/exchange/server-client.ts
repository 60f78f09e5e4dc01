/**
 * The connections to servers that speak HTTP: kept for the next requests, with one request at a time on each. Neither redirects nor
 * codings of bodies are its business, and it waits for an answer as long as its client does.
 */
import type { LookupFunction } from "node:net";
import type { SecureContext } from "node:tls";
import type { Dispatcher } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import type { ConnectThrough } from "../remote/proxy-connect.ts";

export interface ServerClientOptions {
  /** Milliseconds for a connection. */
  readonly connectMs: number;
  readonly lookup?: LookupFunction | undefined;
  readonly secureContext?: SecureContext | undefined;
  /** Makes the connections. Default: directly to the server. */
  readonly connect?: ConnectThrough | undefined;
}

/** A connection is closed when nothing was sent on it for so long. Servers that close theirs sooner say so, or are noticed. */
const IDLE_MS = 60_000;

export function openServerClient({ connectMs, lookup, secureContext, connect }: ServerClientOptions): Dispatcher {
  const direct = { timeout: connectMs, ...(lookup && { lookup }), ...(secureContext && { secureContext }) };
  return new Agent({
    connect: connect ?? direct,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
  });
}

/** Why there was no answer, in our own words where the client's library has others. */
export function explainFailure(error: Error, connectMs: number): Error {
  const code = "code" in error ? error.code : undefined;
  if (code === "UND_ERR_CONNECT_TIMEOUT") return new Error(`no connection within ${connectMs} ms`, { cause: error });
  return error;
}
