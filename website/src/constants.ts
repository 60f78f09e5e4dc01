/** Numbers and names that texts say, from the code that uses them. Read when the site is configured. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { MAX_BODY_BYTES, MAX_LOG_LINES } from "../../packages/api/src/contract/limits.ts";
import { ROUTES } from "../../packages/api/src/contract/routes.ts";
import { STOP } from "../../packages/cli/src/commands/lifecycle/definition.ts";
import { MCP_LIST } from "../../packages/cli/src/commands/mcp/definition.ts";
import { PROXY } from "../../packages/cli/src/commands/proxy/definition.ts";
import { SERVE } from "../../packages/cli/src/commands/serve/definition.ts";
import { CLIENTS } from "../../packages/core/src/clients/client-types.ts";
import { MAX_NAMED_FILE_BYTES } from "../../packages/core/src/files/bounded-file.ts";
import { DESCRIPTION_LENGTH } from "../../packages/core/src/registry/registry-schema.ts";
import { MIN_PASSWORD_LENGTH } from "../../packages/core/src/secrets/password-length.ts";
import { KDF_COST } from "../../packages/core/src/secrets/sealed-file.ts";
import { LOG_BYTES_PER_SECOND, MAX_LOG_BYTES } from "../../packages/core/src/server-log/log-limits.ts";
import { ERRORS } from "../../packages/core/src/support/errors.ts";
import {
  HEALTH_INTERVAL_MS,
  IMAGE_PROOF_TIMEOUT_MS,
  MAX_RESTARTS,
  READY_TIMEOUT_MS,
  RESTART_BACKOFF,
  UNHEALTHY_AFTER_PINGS,
} from "../../packages/core/src/support/supervision-limits.ts";
import { DEFAULT_RESOURCES } from "../../packages/core/src/workload/resource-limits.ts";
import { MAX_ARGUMENTS, MAX_ARGUMENTS_LENGTH, MAX_NAME_LENGTH } from "../../packages/proxy/src/authz/policy-limits.ts";
import { LATEST_SESSION_REVISION, MODERN_REVISION } from "../../packages/proxy/src/messages/protocol-revisions.ts";
import { DEFAULT_BOUNDS } from "../../packages/proxy/src/options/limits.ts";

interface Package {
  readonly engines: { readonly node: string };
}
interface RegistryFile {
  readonly last_updated: string;
  readonly servers: Readonly<Record<string, { readonly tier: string; readonly transport: string }>>;
}

const root = path.join(__dirname, "../..");
const readJson = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), "utf8"));
const registry = readJson("packages/core/src/registry/embedded-registry.json") as RegistryFile;
const servers = Object.values(registry.servers);
/** A duration of a flag, as `30s`, in words. */
const inWords = (duration: string) => duration.replace(/s$/, " seconds");
const inMiB = (bytes: number) => `${bytes / 1024 ** 2} MiB`;
const inMinutes = (ms: number) => `${ms / 60_000} minutes`;
const inSeconds = (ms: number) => `${ms / 1000} seconds`;
const grouped = (count: number) => count.toLocaleString("en-US");

export const CONSTANTS = {
  nodeVersion: (readJson("package.json") as Package).engines.node.replace(/^>=/, ""),
  apiAddress: `http://${SERVE.flags.host.default}:${SERVE.flags.port.default}`,
  apiOperations: String(Object.keys(ROUTES).length),
  apiBody: inMiB(MAX_BODY_BYTES),
  logLines: String(MAX_LOG_LINES),
  serverLog: inMiB(MAX_LOG_BYTES),
  serverLogRate: inMiB(LOG_BYTES_PER_SECOND),
  clients: String(CLIENTS.length),
  errors: String(Object.keys(ERRORS).length),
  servers: String(servers.length),
  serversOfficial: String(servers.filter(({ tier }) => tier === "Official").length),
  serversCommunity: String(servers.filter(({ tier }) => tier === "Community").length),
  serversStdio: String(servers.filter(({ transport }) => transport === "stdio").length),
  serversSse: String(servers.filter(({ transport }) => transport === "sse").length),
  serversHttp: String(servers.filter(({ transport }) => transport === "streamable-http").length),
  registryDate: registry.last_updated.slice(0, 10),
  sessionRevision: LATEST_SESSION_REVISION,
  modernRevision: MODERN_REVISION,
  proxyBody: inMiB(DEFAULT_BOUNDS.maxBodyBytes),
  proxyLine: inMiB(DEFAULT_BOUNDS.maxLineBytes),
  sessions: grouped(DEFAULT_BOUNDS.maxSessions),
  sessionRequests: grouped(DEFAULT_BOUNDS.maxSessionRequests),
  requests: grouped(DEFAULT_BOUNDS.maxRequests),
  sessionIdle: inMinutes(DEFAULT_BOUNDS.sessionIdleMs),
  queueWait: inSeconds(DEFAULT_BOUNDS.queueWaitMs),
  keepAlive: inSeconds(DEFAULT_BOUNDS.keepAliveMs),
  resume: inMinutes(DEFAULT_BOUNDS.resumeMs),
  requestTime: inMinutes(DEFAULT_BOUNDS.requestMs),
  abandonedWork: inMinutes(DEFAULT_BOUNDS.abandonedWorkMs),
  namedFile: inMiB(MAX_NAMED_FILE_BYTES),
  policyArguments: grouped(MAX_ARGUMENTS),
  policyArgumentText: `${MAX_ARGUMENTS_LENGTH / 1024} KiB`,
  policyName: grouped(MAX_NAME_LENGTH),
  memory: `${DEFAULT_RESOURCES.memoryBytes / 1024 ** 3} GiB`,
  processors: String(DEFAULT_RESOURCES.cpus),
  processes: grouped(DEFAULT_RESOURCES.pids),
  stopGrace: `${STOP.flags.timeout.default} seconds`,
  mcpTimeout: inWords(MCP_LIST.flags.timeout.default),
  signInTimeout: inWords(PROXY.flags["remote-auth-timeout"].default),
  healthInterval: inSeconds(HEALTH_INTERVAL_MS),
  httpHealthInterval: inSeconds(DEFAULT_BOUNDS.watchMs),
  missedPings: String(UNHEALTHY_AFTER_PINGS),
  firstAnswer: inMinutes(READY_TIMEOUT_MS),
  firstRestart: inSeconds(RESTART_BACKOFF.firstMs),
  restarts: String(MAX_RESTARTS),
  imageProof: inSeconds(IMAGE_PROOF_TIMEOUT_MS),
  descriptionLength: `${DESCRIPTION_LENGTH.min} to ${DESCRIPTION_LENGTH.max}`,
  passwordLength: String(MIN_PASSWORD_LENGTH),
  scrypt: `N = 2^${KDF_COST.log2N}, r = ${KDF_COST.r}, p = ${KDF_COST.p}`,
} as const;

export type ConstantName = keyof typeof CONSTANTS;
