/** Numbers and names that texts say, from the code that uses them. Read when the site is configured. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { MAX_BODY_BYTES, MAX_LOG_LINES } from "../../packages/api/src/limits.ts";
import { ROUTES } from "../../packages/api/src/routes.ts";
import { SERVE_COMMAND } from "../../packages/cli/src/definitions/serve.ts";
import { CLIENTS } from "../../packages/core/src/clients/client-types.ts";
import { ERRORS } from "../../packages/core/src/errors.ts";
import { KDF_COST } from "../../packages/core/src/secrets/sealed-file.ts";
import { DEFAULT_LIMITS } from "../../packages/proxy/src/limits.ts";
import { LATEST_SESSION_REVISION, MODERN_REVISION } from "../../packages/proxy/src/protocol-revisions.ts";

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
const flag = (name: string) => String(SERVE_COMMAND.flags.find((candidate) => candidate.name === name)?.default);
const inMiB = (bytes: number) => `${bytes / 1024 ** 2} MiB`;
const inMinutes = (ms: number) => `${ms / 60_000} minutes`;
const inSeconds = (ms: number) => `${ms / 1000} seconds`;
const grouped = (count: number) => count.toLocaleString("en-US");

export const CONSTANTS = {
  nodeVersion: (readJson("package.json") as Package).engines.node.replace(/^>=/, ""),
  apiAddress: `http://${flag("host")}:${flag("port")}`,
  apiOperations: String(Object.keys(ROUTES).length),
  apiBody: inMiB(MAX_BODY_BYTES),
  logLines: String(MAX_LOG_LINES),
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
  proxyBody: inMiB(DEFAULT_LIMITS.maxBodyBytes),
  proxyLine: inMiB(DEFAULT_LIMITS.maxLineBytes),
  sessions: grouped(DEFAULT_LIMITS.maxSessions),
  sessionRequests: grouped(DEFAULT_LIMITS.maxSessionRequests),
  requests: grouped(DEFAULT_LIMITS.maxRequests),
  sessionIdle: inMinutes(DEFAULT_LIMITS.sessionIdleMs),
  queueWait: inSeconds(DEFAULT_LIMITS.queueWaitMs),
  keepAlive: inSeconds(DEFAULT_LIMITS.keepAliveMs),
  resume: inMinutes(DEFAULT_LIMITS.resumeMs),
  requestTime: inMinutes(DEFAULT_LIMITS.requestMs),
  scrypt: `N = 2^${KDF_COST.log2N}, r = ${KDF_COST.r}, p = ${KDF_COST.p}`,
} as const;

export type ConstantName = keyof typeof CONSTANTS;
