/** Turns a create request into a run configuration without its port, checking everything that needs no engine. */
import { randomInt } from "node:crypto";
import type { AccessConfig } from "../access/access-config.ts";
import { parseImageReference } from "../images/image-reference.ts";
import { resolveProfile } from "../permissions/permission-profile.ts";
import type { ResourceLimits } from "../ports/container-engine.ts";
import { formatSecretReference, problemsOf } from "../secrets/secret-reference.ts";
import { ThvError } from "../support/errors.ts";
import { readAllowedHosts } from "./allowed-hosts.ts";
import { readGrants } from "./mounts.ts";
import { problemsOfLimits } from "./resource-limits.ts";
import type { RunConfig } from "./run-config.ts";
import { problemWithLabel } from "./user-labels.ts";
import type { CreateWorkloadRequest } from "./workload.ts";
import { assertWorkloadName, generateWorkloadName, problemWithName } from "./workload-name.ts";

/** Range of the port that a server is told to listen on in its container, when nobody says which. */
const FIRST_TARGET_PORT = 10_000;
const LAST_TARGET_PORT = 65_534;
/** Characters of a name that are repeated. */
const SHOWN_LENGTH = 60;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** What a request says that can be looked at without knowing the rest of it. */
export type PartialRequest = Partial<Omit<CreateWorkloadRequest, "image" | "access">>;

/** @returns One sentence for everything that is wrong, without a full stop; none for a request that can be carried out. */
export function problemsOfRequest(request: PartialRequest): string[] {
  const problems: string[] = [];
  const nameProblem = request.name ? problemWithName(request.name) : undefined;
  if (nameProblem) problems.push(`name ${JSON.stringify(request.name?.slice(0, SHOWN_LENGTH))}: ${nameProblem}`);
  const { transport, targetPort, targetHost, host, proxyPort } = request;
  if (transport === "inspector")
    problems.push('transport "inspector" cannot be run: use stdio, sse or streamable-http');
  if (targetPort !== undefined && !isPort(targetPort))
    problems.push(`target port ${targetPort} is not between 1 and 65535`);
  if (targetHost && !isLoopback(targetHost))
    problems.push(
      `target host "${targetHost}" is not a loopback address: a server's own port is never offered to others`,
    );
  if (host && host !== "localhost" && !isIpv4(host)) problems.push(`host "${host}" is not an IPv4 address`);
  readAllowedHosts(request.allowedHosts, problems);
  if (proxyPort !== undefined && !isPort(proxyPort)) {
    problems.push(`proxy port ${proxyPort} is not between 1 and 65535`);
  }
  parseEnvVars(request.envVars ?? [], problems);
  problems.push(...problemsOf(request.secrets ?? []));
  const labels = Object.entries(request.labels ?? {});
  problems.push(...labels.flatMap(([key, value]) => problemWithLabel(key, value) ?? []));
  problems.push(...problemsOfLimits(request.limits ?? {}));
  readGrants(grantsOf(request), process.cwd(), problems);
  return problems;
}

function grantsOf({ permissionProfile, volumes }: PartialRequest): Parameters<typeof readGrants>[0] {
  return { permissionProfile: permissionProfile && resolveProfile(permissionProfile), volumes };
}

/** @throws {ThvError} `INVALID_WORKLOAD_NAME` when that is all, or `INVALID_ARGUMENT` with every problem in its message. */
export function draftRunConfig(
  request: CreateWorkloadRequest,
  now: Date,
  access: AccessConfig = {},
): Omit<RunConfig, "port"> {
  parseImageReference(request.image);
  const problems = problemsOfRequest(request);
  if (request.pullPolicy !== undefined && request.packageTarget !== undefined)
    problems.push("a pull policy is for images: a package is fetched at each start of its server");
  if (request.caCertificate !== undefined && request.packageTarget === undefined)
    problems.push("a CA certificate is for servers given as npx://, uvx:// or go://: other images are not built here");
  const name = request.name || generateWorkloadName(request.packageTarget ?? request.image);
  if (problems.length <= 1) assertWorkloadName(name);
  if (problems.length > 0) throw new ThvError("INVALID_ARGUMENT", problems.join("; "));
  const { targetPort, transport = "stdio", secrets = [] } = request;
  const targetHost = request.targetHost === "localhost" ? "127.0.0.1" : request.targetHost || undefined;
  const env = parseEnvVars(request.envVars ?? [], problems);
  const labels = Object.entries(request.labels ?? {});
  const grants = readGrants(grantsOf(request), process.cwd(), problems);
  const allowedHosts = readAllowedHosts(request.allowedHosts, problems);
  return {
    name,
    container_name: name,
    base_name: name,
    image: request.image,
    ...(request.packageTarget !== undefined && { package_target: request.packageTarget }),
    ...(request.pullPolicy !== undefined && { pull_policy: request.pullPolicy }),
    ...(request.caCertificate !== undefined && { ca_certificate: request.caCertificate }),
    cmd_args: [...(request.cmdArguments ?? [])],
    transport,
    proxy_mode: request.proxyMode ?? "streamable-http",
    ...(transport !== "stdio" && { target_port: targetPort ?? randomInt(FIRST_TARGET_PORT, LAST_TARGET_PORT + 1) }),
    ...(transport !== "stdio" && targetHost !== undefined && { target_host: targetHost }),
    host: request.host || "127.0.0.1",
    ...(allowedHosts.length > 0 && { allowed_hosts: allowedHosts }),
    env_vars: env,
    ...(secrets.length > 0 && { secrets: secrets.map(formatSecretReference) }),
    ...(labels.length > 0 && { container_labels: Object.fromEntries(labels) }),
    ...limitsOf(request.limits ?? {}),
    ...(request.readOnly && { read_only: true }),
    ...(request.imageVerification && { image_verification: request.imageVerification }),
    ...(request.provenance && { provenance: request.provenance }),
    ...(grants.permissionProfile && { permission_profile: grants.permissionProfile }),
    ...(request.isolateNetwork && { isolate_network: true }),
    ...(grants.volumes.length > 0 && { volumes: [...grants.volumes] }),
    ...access,
    desired_state: "running",
    created_at: now.toISOString(),
  };
}

/** Only what was asked for is kept, so that better defaults reach old workloads. */
function limitsOf({ memoryBytes, cpus, pids }: Partial<ResourceLimits>): Pick<RunConfig, "limits"> {
  const limits = {
    ...(memoryBytes !== undefined && { memory_bytes: memoryBytes }),
    ...(cpus !== undefined && { cpus }),
    ...(pids !== undefined && { pids }),
  };
  return Object.keys(limits).length > 0 ? { limits } : {};
}

function parseEnvVars(items: readonly string[], problems: string[]): Record<string, string> {
  // A map, because an object would take the name "__proto__" for something else.
  const env = new Map<string, string>();
  for (const item of items) {
    const split = item.indexOf("=");
    // The value may be a secret: only the part before the first "=" is repeated.
    if (split < 1) problems.push(`environment variable "${split === -1 ? item.slice(0, 20) : ""}" is not KEY=VALUE`);
    else if (CONTROL_CHARACTER.test(item.slice(0, split))) {
      // A line end would make two variables of it wherever they are listed one on a line.
      const name = JSON.stringify(item.slice(0, Math.min(split, SHOWN_LENGTH)));
      problems.push(`the name of the environment variable ${name} holds a control character`);
    } else if (item.includes("\0")) {
      problems.push(`environment variable "${item.slice(0, Math.min(split, SHOWN_LENGTH))}" holds a NUL character`);
    } else env.set(item.slice(0, split), item.slice(split + 1));
  }
  return Object.fromEntries(env);
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 65535;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || (isIpv4(host) && host.startsWith("127."));
}

function isIpv4(host: string): boolean {
  const parts = host.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}
