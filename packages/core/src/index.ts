export type { AccessConfig, OidcConfig } from "./access/access-config.ts";
export { type AccessRequest, resolveAccess } from "./access/access-request.ts";
export {
  AUDIT_EVENT_TYPES,
  type AuditConfig,
  type AuditEventType,
  DEFAULT_MAX_DATA_SIZE,
} from "./access/audit-config.ts";
export { type AuthzConfig, readAuthzConfig } from "./access/authz-config.ts";
export { readOidcOptions } from "./access/oidc-options.ts";
export {
  DEFAULT_SAMPLING_RATE,
  DEFAULT_SERVICE_NAME,
  resolveTelemetry,
  type TelemetryConfig,
  type TelemetryDefaults,
} from "./access/telemetry-config.ts";
export { atomicWrite } from "./atomic-write.ts";
export { BRAND } from "./brand.ts";
export type { ClientFileChange } from "./clients/client-file.ts";
export {
  ClientManager,
  type ClientManagerOptions,
  type ClientStatus,
  clientSettings,
  type ReplacedEntry,
} from "./clients/client-manager.ts";
export { CLIENTS, type ClientDefinition } from "./clients/client-types.ts";
export { ConfigFile } from "./config/config-file.ts";
export { type Config, ConfigSchema, DEFAULT_CONFIG } from "./config/config-schema.ts";
export type { ConfigReading } from "./config/parse-config.ts";
export type {
  Container,
  ContainerEngine,
  ContainerEvent,
  ContainerMount,
  ContainerSpec,
  ContainerState,
  ContainerStdio,
  EngineInfo,
  LogLine,
  LogOptions,
  PullLayer,
  PullProgress,
} from "./container-engine.ts";
export { type PartialRequest, problemsOfRequest } from "./create-request.ts";
export { type Directories, resolveDirectories } from "./directories.ts";
export { ERRORS, type ErrorCode, errorPageOf, messageOf, systemCodeOf, ThvError } from "./errors.ts";
export { readCaCertificate } from "./image-build/ca-certificate.ts";
export { PackageImages } from "./image-build/package-images.ts";
export { IMAGE_REFERENCE_PATTERN } from "./image-reference.ts";
export type { Logger } from "./log.ts";
export type {
  HttpConnection,
  McpEndpoint,
  McpEndpointCounts,
  McpEndpointOptions,
  OpenMcpEndpoint,
  StdioConnection,
} from "./mcp-endpoint.ts";
export { nearestMember } from "./nearest-member.ts";
export { unenforcedRules } from "./permissions/network-access.ts";
export { searchServers } from "./registry/find-server.ts";
export { RegistryCache } from "./registry/registry-cache.ts";
export { type LoadedRegistry, RegistryCatalog } from "./registry/registry-catalog.ts";
export {
  EnvVarSchema,
  MetadataSchema,
  type PermissionProfile,
  PermissionProfileSchema,
  ProvenanceSchema,
  REGISTRY_STATUSES,
  REGISTRY_TIERS,
  REGISTRY_TRANSPORTS,
  type Registry,
  type RegistryServer,
  RegistryServerSchema,
} from "./registry/registry-schema.ts";
export { describeSource, registrySourceOf } from "./registry/registry-source.ts";
export {
  IMAGE_VERIFICATIONS,
  PROXY_MODES,
  type ProxyMode,
  PULL_POLICIES,
  type RunConfig,
  TRANSPORT_TYPES,
  type TransportType,
} from "./run-config.ts";
export { RunConfigStore } from "./run-config-store.ts";
export { listProblems, type ProblemOptions } from "./schema-problems.ts";
export { type OpenKeyring, openSystemKeyring } from "./secrets/keyring.ts";
export { SecretManager, type SecretManagerOptions, secretSettings } from "./secrets/secret-manager.ts";
export {
  SECRET_PROVIDER_TYPES,
  type SecretCapabilities,
  type SecretEntry,
  type SecretProviderType,
} from "./secrets/secret-provider.ts";
export { logFilesIn } from "./server-log/log-file.ts";
export { type LogSelection, type StampedLine, stampOf } from "./server-log/log-line.ts";
export { MAX_TAIL_LINES, parseLogQuery } from "./server-log/log-query.ts";
export { SidecarImage } from "./sidecar/sidecar-image.ts";
export { type OidcOptions, type TokenClaims, TokenRefused, TokenVerifier } from "./tokens/token-verifier.ts";
export type { RunPlan } from "./workload/run-plan.ts";
export type { CreateWorkloadRequest, Workload } from "./workload.ts";
export { assertWorkloadName } from "./workload-name.ts";
export { STATUS_TRANSITIONS, WORKLOAD_STATUSES, type WorkloadStatus } from "./workload-status.ts";
export { type WorkloadDetails, WorkloadSupervisor } from "./workload-supervisor.ts";
