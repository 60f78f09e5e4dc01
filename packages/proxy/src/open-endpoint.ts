/** Opens the endpoint that fits the transport of a workload's server. */
import type { McpEndpoint } from "@toolhive/core";
import { HttpEndpoint } from "./forward/http-endpoint.ts";
import { type EndpointOptions, openMcpEndpoint } from "./transports/stdio-endpoint.ts";

/**
 * @throws {ThvError} `PORT_IN_USE`, `INVALID_ARGUMENT` when the address is not one of this machine or an access rule is
 * wrong, `ISSUER_UNAVAILABLE`.
 */
export async function openEndpoint({ transport = "stdio", ...options }: EndpointOptions): Promise<McpEndpoint> {
  return transport === "stdio" ? await openMcpEndpoint(options) : await HttpEndpoint.open({ ...options, transport });
}
