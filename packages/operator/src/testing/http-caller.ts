/** Requests of one caller to a proxy, below what an MCP client shows. */
import { startTimeout } from "@toolhive/core/timeout-signal";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "0" } },
};

export interface Refusal {
  readonly status: number;
  /** The `WWW-Authenticate` of the answer. Empty: it has none. */
  readonly challenge: string;
  readonly body: string;
}

/** Begins a session. @param url Of the proxy, with its path. */
export async function initialize(url: URL, token?: string): Promise<Refusal> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(INITIALIZE),
    signal: startTimeout(30_000),
  });
  return {
    status: response.status,
    challenge: response.headers.get("www-authenticate") ?? "",
    body: await response.text(),
  };
}
