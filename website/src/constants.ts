/** Numbers and names that texts say, from the code that uses them. `reference/main.ts` writes them for the site's configuration. */
import { readFileSync } from "node:fs";
import path from "node:path";
import {
  CALL_MINUTES,
  INVITATION_MS,
  MAX_BODY_BYTES,
  MAX_CALL_BYTES,
  MAX_CALLS,
  MAX_LOG_LINES,
  ROUTES,
  SESSION_MS,
} from "@toolhive/api/facts";
import { MCP_LIST, PROXY, RUN, SERVE, STOP } from "@toolhive/cli/facts";
import {
  CLIENTS,
  DEFAULT_RESOURCES,
  DESCRIPTION_LENGTH,
  ERRORS,
  HEALTH_INTERVAL_MS,
  IMAGE_PROOF_TIMEOUT_MS,
  KDF_COST,
  LOG_BYTES_PER_SECOND,
  MAX_LOG_BYTES,
  MAX_NAMED_FILE_BYTES,
  MAX_RESTARTS,
  MIN_PASSWORD_LENGTH,
  parseEmbeddedRegistry,
  READY_TIMEOUT_MS,
  RESTART_BACKOFF,
  UNHEALTHY_AFTER_PINGS,
} from "@toolhive/core/facts";
import {
  ALTERNATIVES_IN_A_LEVEL,
  DEFAULT_BOUNDS,
  LATEST_SESSION_REVISION,
  MAX_ARGUMENTS,
  MAX_ARGUMENTS_LENGTH,
  MAX_NAME_LENGTH,
  MAX_POLICIES_LENGTH,
  MAX_POLICY_DEPTH,
  MAX_POLICY_LENGTH,
  MODERN_REVISION,
} from "@toolhive/proxy/facts";

interface Package {
  readonly engines: { readonly node: string };
}

const manifest = JSON.parse(readFileSync(path.join(process.cwd(), "../package.json"), "utf8")) as Package;
const { servers, lastUpdated } = parseEmbeddedRegistry();
/** A duration of a flag, as `30s`, in words. */
const inWords = (duration: string) => duration.replace(/s$/, " seconds");
const inMiB = (bytes: number) => `${bytes / 1024 ** 2} MiB`;
const inMinutes = (ms: number) => `${ms / 60_000} minutes`;
const inDays = (ms: number) => `${ms / 86_400_000} days`;
const inSeconds = (ms: number) => `${ms / 1000} seconds`;
const grouped = (count: number) => count.toLocaleString("en-US");

export const CONSTANTS = {
  nodeVersion: manifest.engines.node.replace(/^>=/, ""),
  apiAddress: `http://${SERVE.flags.host.default}:${SERVE.flags.port.default}`,
  apiOperations: String(Object.keys(ROUTES).length),
  appInvitation: inMinutes(INVITATION_MS),
  appSession: inDays(SESSION_MS),
  apiBody: inMiB(MAX_BODY_BYTES),
  calls: String(MAX_CALLS),
  callMinutes: `${CALL_MINUTES} minutes`,
  callSize: inMiB(MAX_CALL_BYTES),
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
  registryDate: lastUpdated.slice(0, 10),
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
  policyDepth: grouped(MAX_POLICY_DEPTH),
  policyLength: `${MAX_POLICY_LENGTH / 1024} KiB`,
  policiesLength: `${MAX_POLICIES_LENGTH / 1024} KiB`,
  policyAlternatives: grouped(MAX_POLICY_DEPTH * ALTERNATIVES_IN_A_LEVEL),
  memory: `${DEFAULT_RESOURCES.memoryBytes / 1024 ** 3} GiB`,
  processors: String(DEFAULT_RESOURCES.cpus),
  processes: grouped(DEFAULT_RESOURCES.pids),
  stopGrace: `${STOP.flags.timeout.default} seconds`,
  mcpTimeout: inWords(MCP_LIST.flags.timeout.default),
  proxySignInTimeout: inWords(PROXY.flags["remote-auth-timeout"].default),
  runSignInTimeout: inWords(RUN.flags["remote-auth-timeout"].default),
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
