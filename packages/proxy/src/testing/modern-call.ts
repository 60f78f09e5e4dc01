/** A request of revision 2026-07-28, for tests. */
import type { McpEndpoint } from "@toolhive/core";
import type { SeenMessage } from "./fake-server.ts";
import { post } from "./raw-client.ts";

export const REVISION = "2026-07-28";

export const META = "io.modelcontextprotocol/";

interface ModernOptions {
  readonly id?: number;
  readonly params?: Record<string, unknown>;
  readonly meta?: Record<string, unknown>;
  readonly capabilities?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Posts a request as a client of the revision does; `headers` with an empty value are left out. */
export async function call(endpoint: McpEndpoint, method: string, options: ModernOptions = {}): Promise<Response> {
  const { id = 1, params = {}, meta = {}, capabilities = {}, headers = {}, signal } = options;
  const envelope = {
    [`${META}protocolVersion`]: REVISION,
    [`${META}clientInfo`]: { name: "raw", version: "1" },
    [`${META}clientCapabilities`]: capabilities,
    ...meta,
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: envelope } });
  const name = params.name ?? params.uri;
  const all: Record<string, string> = {
    "mcp-protocol-version": REVISION,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
  return await post(endpoint, body, sent, signal);
}

export const echo = ({ method, params }: SeenMessage): string => JSON.stringify({ method, params });
