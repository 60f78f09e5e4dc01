export { BRAND } from "./brand.ts";
export type {
  Container,
  ContainerEngine,
  ContainerEvent,
  ContainerSpec,
  ContainerState,
  ContainerStdio,
  EngineInfo,
  PullProgress,
} from "./container-engine.ts";
export { ERRORS, type ErrorCode, messageOf, systemCodeOf, ThvError } from "./errors.ts";
export type {
  McpEndpoint,
  McpEndpointCounts,
  McpEndpointOptions,
  OpenMcpEndpoint,
  StdioConnection,
} from "./mcp-endpoint.ts";
