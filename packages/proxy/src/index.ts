export { type GroupOptions, openGroupEndpoint } from "./group/group-endpoint.ts";
export type { HealthVersion } from "./http/health.ts";
export { HttpRefusal } from "./http/http-exchange.ts";
export { RPC_ERRORS } from "./messages/json-rpc.ts";
export { openEndpoint } from "./open-endpoint.ts";
export { DEFAULT_BOUNDS, type Limits } from "./options/limits.ts";
export { OpenRelays } from "./relay/relay.ts";
export { type EndpointOptions, openMcpEndpoint } from "./transports/stdio-endpoint.ts";
