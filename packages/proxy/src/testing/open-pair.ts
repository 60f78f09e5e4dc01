/**
 * An endpoint with a scripted server behind it, as most tests need it.
 */
import type { McpEndpoint } from "@toolhive/core";
import { OpenRelays } from "../relay/relay.ts";
import { type EndpointOptions, openMcpEndpoint } from "../transports/stdio-endpoint.ts";
import { FakeServer, type FakeServerOptions } from "./fake-server.ts";

/** Where groups of tests find servers of tests, as in the supervisor. */
export const TEST_RELAYS = new OpenRelays();

export interface Pair extends AsyncDisposable {
  readonly endpoint: McpEndpoint;
  readonly server: FakeServer;
}

export async function openPair(
  serverOptions: FakeServerOptions = {},
  endpointOptions: Partial<EndpointOptions> = {},
): Promise<Pair> {
  const server = new FakeServer(serverOptions);
  const endpoint = await openMcpEndpoint({
    ...{ name: "fake", host: "127.0.0.1", port: 0, relays: TEST_RELAYS },
    ...endpointOptions,
  });
  endpoint.connect(server.connection);
  return { endpoint, server, [Symbol.asyncDispose]: () => endpoint.close() };
}
