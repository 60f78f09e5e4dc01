export { type EndpointOptions, openMcpEndpoint } from "./endpoint.ts";
export { DEFAULT_LIMITS, type Limits } from "./limits.ts";
export type { ProxyLog } from "./log.ts";
