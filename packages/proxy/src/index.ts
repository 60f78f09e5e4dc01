export { type EndpointOptions, openMcpEndpoint } from "./endpoint.ts";
export type { HealthVersion } from "./health.ts";
export { type HttpEndpoint, type HttpEndpointOptions, openHttpEndpoint } from "./http-endpoint.ts";
export type { HttpTarget, RemoteServer } from "./http-watch.ts";
export { DEFAULT_LIMITS, type Limits } from "./limits.ts";
export { openEndpoint } from "./open-endpoint.ts";
