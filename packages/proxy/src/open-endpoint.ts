/** Opens the endpoint that fits the transport of a workload's server. */
import type { McpEndpoint } from "@toolhive/core";
import { type EndpointOptions, openMcpEndpoint } from "./transports/stdio-endpoint.ts";

/**
 * @throws {ThvError} `PORT_IN_USE`, `INVALID_ARGUMENT` when the address is not one of this machine or an access rule is
 * wrong, `ISSUER_UNAVAILABLE`.
 */
export async function openEndpoint({ transport = "stdio", ...options }: EndpointOptions): Promise<McpEndpoint> {
  if (transport === "stdio") return await openMcpEndpoint(options);
  // With the client that its requests are sent with, which takes memory that servers on stdio do not need.
  const { HttpEndpoint } = await import("./forward/http-endpoint.ts");
  return await HttpEndpoint.open({ ...options, transport });
}
