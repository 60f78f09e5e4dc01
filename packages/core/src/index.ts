export type { AccessConfig, OidcConfig } from "./access/access-config.ts";
export { resolveAccess } from "./access/access-request.ts";
export type { AccessMembers } from "./access/access-request-schema.ts";
export {
  AUDIT_EVENT_TYPES,
  type AuditConfig,
  AuditConfigSchema,
  type AuditEventType,
  DEFAULT_MAX_DATA_SIZE,
} from "./access/audit-config.ts";
export { type AuthzConfig, AuthzConfigSchema, readAuthzConfig } from "./access/authz-config.ts";
export { readOidcOptions } from "./access/oidc-options.ts";
export {
  DEFAULT_SAMPLING_RATE,
  DEFAULT_SERVICE_NAME,
  resolveTelemetry,
  type TelemetryConfig,
  type TelemetryDefaults,
} from "./access/telemetry-config.ts";
export {
  CHANGED_TOOL_RULES,
  GROUP_TOOL_MEMBERS,
  listToolProblems,
  PIN_MODES,
  pickToolSelection,
  type ToolMembers,
  ToolOverrideFileSchema,
  type ToolOverrides,
  type ToolSelection,
} from "./access/tool-selection.ts";
export { describeToolStates, listMissing, TOOL_STATES, type ToolState } from "./access/tool-states.ts";
export { createUnknownClient } from "./clients/client-failure.ts";
export type { ClientFileChange } from "./clients/client-file.ts";
export {
  ClientManager,
  type ClientManagerOptions,
  type ClientStatus,
  type ReplacedEntry,
} from "./clients/client-manager.ts";
export { createClientSettings } from "./clients/client-settings.ts";
export { CLIENTS, type ClientDefinition } from "./clients/client-types.ts";
export { ConfigFile } from "./config/config-file.ts";
export { type Config, ConfigSchema, DEFAULT_CONFIG } from "./config/config-schema.ts";
export type { ConfigReading } from "./config/parse-config.ts";
export { atomicWrite, atomicWriteAll } from "./files/atomic-write.ts";
export { type Directories, resolveDirectories } from "./files/directories.ts";
export type { Group } from "./groups/group-description.ts";
export { GroupManager } from "./groups/group-manager.ts";
export { GroupStore } from "./groups/group-store.ts";
export { formatFullName, resolveGroupTools } from "./groups/group-tools.ts";
export { DEFAULT_GROUP } from "./groups/kept-groups.ts";
export { ServerPrefixes } from "./groups/server-prefixes.ts";
export { IMAGE_REFERENCE_PATTERN } from "./images/image-reference.ts";
export { PackageImages } from "./images/package-images.ts";
export { readCaCertificate } from "./net/ca-certificate.ts";
export { readAnswer, sendRequest } from "./net/outgoing-request.ts";
export { createRoutedFetch } from "./net/routed-fetch.ts";
export type {
  BuildImageOptions,
  Container,
  ContainerEngine,
  ContainerEvent,
  ContainerMount,
  ContainerSpec,
  ContainerState,
  ContainerStdio,
  EngineInfo,
  LimitName,
  LogLine,
  LogOptions,
  LogPosition,
  PullLayer,
  PullProgress,
  UserMapping,
} from "./ports/container-engine.ts";
export {
  GROUP_NAMINGS,
  type GroupEndpoint,
  type GroupEndpointOptions,
  type GroupMember,
  type GroupMemberStatus,
  type GroupNaming,
  type GroupToolNames,
  type GroupToolState,
  type GroupTools,
  type ImitatedName,
  type OpenGroupEndpoint,
} from "./ports/group-endpoint.ts";
export type { Logger } from "./ports/log.ts";
export type {
  CallGate,
  HttpConnection,
  McpEndpoint,
  McpEndpointCounts,
  McpEndpointOptions,
  ObservedCall,
  OfferedTool,
  OpenMcpEndpoint,
  PinnedTools,
  PolicyQuestion,
  PolicyVerdict,
  RemoteServer,
  ShownTool,
  StdioConnection,
  ToolDefinition,
  ToolPage,
} from "./ports/mcp-endpoint.ts";
export {
  GRANT_STATES,
  type GrantDescription,
  type RemoteAuthorization,
  type RemoteRefusal,
} from "./ports/remote-authorization.ts";
export type { MeasuredTools, UsageSink, UsedCall } from "./ports/usage-sink.ts";
export {
  describeLeftOut,
  type FormattedProject,
  formatProject,
  type LeftOutOfSet,
  type ServerSet,
  type SetGroup,
  type SetServer,
} from "./project/format-project.ts";
export { groupSkipped, type ImportedProject, importClientFile, importCommand } from "./project/import-client-file.ts";
export { buildProjectJsonSchema } from "./project/project-json-schema.ts";
export {
  describeLocked,
  findLockProblem,
  formatLock,
  formatOrigin,
  type LockEntries,
  type LockEntry,
  listToolChanges,
  nameLockedEntry,
  placeLock,
  readLock,
  suggestSource,
  type ToolHashes,
} from "./project/project-lock.ts";
export { MAX_PROJECT_SERVERS, ProjectGroupSchema } from "./project/project-schema.ts";
export {
  formatProjectLabel,
  inspectProject,
  listExtended,
  listProjectSecrets,
  type Project,
  type ProjectBase,
  type ProjectGroup,
  type ProjectServer,
  readProject,
  readProjectName,
} from "./project/read-project.ts";
export { formatServerText, readServerText } from "./project/server-text.ts";
export type { SharedFile } from "./project/sharing/artifact.ts";
export { listExposedValues } from "./project/sharing/exposed-values.ts";
export { listProjectFiles, type NamedPath } from "./project/sharing/named-paths.ts";
export { type PulledProject, pullProject } from "./project/sharing/pull-project.ts";
export { type PushedProject, pushProject } from "./project/sharing/push-project.ts";
export type { RegistryAccess } from "./project/sharing/registry-access.ts";
export {
  formatSharedLabel,
  isSharedReference,
  parseSharedReference,
  type SharedReference,
} from "./project/sharing/shared-reference.ts";
export { describeReach } from "./reach/network-reach.ts";
export { type Grant, listFurtherGrants, listGrants } from "./reach/plan-facts.ts";
export { describePublisher, type Publisher } from "./registry/catalog/describe-publisher.ts";
export { type EntryIcon, EntryIcons } from "./registry/catalog/entry-icons.ts";
export { cutSlashes } from "./registry/catalog/fetch-pages.ts";
export { type JoinedEntry, joinSources } from "./registry/catalog/join-sources.ts";
export type { EntryOrigin, RegistrySettings } from "./registry/catalog/named-sources.ts";
export { openCatalogue } from "./registry/catalog/open-catalogue.ts";
export { RegistryCache } from "./registry/catalog/registry-cache.ts";
export {
  type LocatedEntry,
  RegistryCatalog,
  type RegistryCatalogOptions,
  type SourceState,
} from "./registry/catalog/registry-catalog.ts";
export { DEFAULT_SOURCE, describeSource, parseRegistrySource } from "./registry/catalog/registry-source.ts";
export type { LoadedRegistry } from "./registry/catalog/source-reader.ts";
export { convertRegistry, REGISTRY_FORMATS } from "./registry/convert-registry.ts";
export { parseEmbeddedRegistry } from "./registry/embedded.ts";
export { getEntry, listEntries, searchServers } from "./registry/find-server.ts";
export { listRegistryProblems } from "./registry/map-problems.ts";
export {
  EnvVarSchema,
  type HeaderDeclaration,
  HeaderSchema,
  isRemoteServer,
  MetadataSchema,
  NeededArgumentSchema,
  type OAuthHints,
  OAuthHintsSchema,
  type PermissionProfile,
  PermissionProfileSchema,
  ProvenanceSchema,
  REGISTRY_STATUSES,
  REGISTRY_TIERS,
  REGISTRY_TRANSPORTS,
  type Registry,
  type RegistryEntry,
  type RegistryGroup,
  type RegistryRemoteServer,
  RegistryRemoteServerSchema,
  type RegistryServer,
  RegistryServerSchema,
  type SkippedEntry,
} from "./registry/registry-schema.ts";
export { readForwardedHeaders } from "./remote/forwarded-headers.ts";
export { NoSignIn } from "./remote/no-sign-in.ts";
export {
  formatRemoteAddress,
  listRemoteProblems,
  parseRemoteAddress,
} from "./remote/remote-address.ts";
export type { RemoteMembers, RemoteSignIn } from "./remote/remote-schema.ts";
export type { RemoteGrantRequest, RemoteSignInPort } from "./remote/sign-in-port.ts";
export { BearerGrant } from "./remote-auth/bearer-grant.ts";
export { ClientCredentialsGrant } from "./remote-auth/client-credentials-grant.ts";
export { RemoteGrant } from "./remote-auth/remote-grant.ts";
export {
  RemoteSignIns,
  type RemoteSignInsOptions,
  type SignInProgress,
  type SignInRequestOfWorkload,
  type SignInStatus,
} from "./remote-auth/remote-sign-ins.ts";
export { GrantStore } from "./remote-auth/store/grant-store.ts";
export { readReferenceMembers } from "./request/reference-members.ts";
export { checkValue } from "./schemas/check-value.ts";
export { findNearestMember } from "./schemas/nearest-member.ts";
export { listProblems, type ProblemOptions } from "./schemas/schema-problems.ts";
export { findSoundMembers } from "./schemas/sound-members.ts";
export { thinValue } from "./schemas/thin-value.ts";
export { type OpenKeyring, openSystemKeyring } from "./secrets/keyring.ts";
export { createSecretSettings, SecretManager, type SecretManagerOptions } from "./secrets/secret-manager.ts";
export {
  SECRET_PROVIDER_TYPES,
  type SecretCapabilities,
  type SecretEntry,
  type SecretProviderType,
} from "./secrets/secret-provider.ts";
export { openFailedOutputs } from "./server-log/failed-outputs.ts";
export { createLogFileOpener } from "./server-log/log-file.ts";
export { formatStamp, type LogSelection, type StampedLine } from "./server-log/log-line.ts";
export { MAX_TAIL_LINES, parseLogQuery } from "./server-log/log-query.ts";
export { mergeLines } from "./server-log/merge-lines.ts";
export { ProxyLogs } from "./server-log/proxy-logs.ts";
export { type Denial, parseDenial } from "./sidecar-rules/denials.ts";
export type { LearnedTarget } from "./sidecar-rules/learned.ts";
export { SidecarImage } from "./supervision/containers/sidecar-image.ts";
export { formatPlaceholder } from "./supervision/registry-defaults.ts";
export { RemoteWatch } from "./supervision/remote/remote-watch.ts";
export { type RunPlan, RunPlanSchema } from "./supervision/run-plan.ts";
export type { UpgradeCheck } from "./supervision/server-upgrade.ts";
export { WorkloadSupervisor } from "./supervision/workload-supervisor.ts";
export { BRAND } from "./support/brand.ts";
export {
  describeError,
  ERRORS,
  type ErrorCode,
  getErrorPage,
  hasCode,
  readSystemCode,
  ThvError,
} from "./support/errors.ts";
export {
  formatPath,
  formatPointer,
  type LocatedProblem,
  listSentences,
  type NameMember,
} from "./support/located-problem.ts";
export { compareNames } from "./support/natural-order.ts";
export { findNearest } from "./support/nearest.ts";
export { type OidcOptions, type TokenClaims, TokenRefused, TokenVerifier } from "./tokens/token-verifier.ts";
export { formatSkeleton } from "./tool-pins/look-alikes.ts";
export { PinFiles, type PinStore } from "./tool-pins/pin-record.ts";
export type { AcceptedTool, PinReport, ToolDifference } from "./tool-pins/pin-report.ts";
export { scanTools, TOOL_WARNING_KINDS, type ToolWarning } from "./tool-pins/scan-tools.ts";
export { formatCanonical } from "./tool-pins/tool-definition.ts";
export { describeUsage, estimateTokens, type ServerUsage, type UsageSummary } from "./usage/describe-usage.ts";
export { LATENCY_BOUNDS_MS } from "./usage/latency.ts";
export { UsageBook } from "./usage/usage-book.ts";
export { UsageFiles } from "./usage/usage-files.ts";
export { OTHER_NAME } from "./usage/usage-names.ts";
export type { UsageRecorder } from "./usage/usage-recorder.ts";
export { listRequestProblems } from "./workload/create-request.ts";
export {
  type CreateRequest,
  CreateRequestSchema,
  documented,
  PROXY_MODES,
  REQUEST_CONSTRAINTS,
  TRANSPORT_TYPES,
} from "./workload/create-request-schema.ts";
export { PROJECT_LABEL } from "./workload/labels.ts";
export { resolveNetworkAccess, resolveOutgoing } from "./workload/network-access.ts";
export type { RunConfig } from "./workload/run-config.ts";
export { RunConfigStore } from "./workload/run-config-store.ts";
export type { Workload } from "./workload/workload.ts";
export { assertWorkloadName } from "./workload/workload-name.ts";
export {
  createNotRunning,
  STATUS_TRANSITIONS,
  WORKLOAD_STATUSES,
  type WorkloadStatus,
} from "./workload/workload-status.ts";
export { listMountWarnings, listNetworkWarnings, listWarnings } from "./workload/workload-warnings.ts";
