/** What the operations do: translates between the wire and the domain, and nothing else. */
import { Readable } from "node:stream";
import {
  assertWorkloadName,
  type ClientManager,
  type CreateWorkloadRequest,
  PROXY_MODES,
  type RegistryCatalog,
  type SecretManager,
  ThvError,
  TRANSPORT_TYPES,
  type Workload,
  type WorkloadSupervisor,
} from "@toolhive/core";
import { accessRequest } from "./access-schemas.ts";
import { bulkHandlers } from "./bulk-handlers.ts";
import { clientsHandlers } from "./clients-handlers.ts";
import type { OperationAnswer, OperationInput } from "./contract.ts";
import { MAX_LOG_LINES } from "./limits.ts";
import { openApiDocument } from "./openapi.ts";
import { registryHandlers } from "./registry-handlers.ts";
import type { OperationId } from "./routes.ts";
import type { CreateWorkloadBody, WorkloadBody } from "./schemas.ts";
import { secretsHandlers } from "./secrets-handlers.ts";

/** Seconds a server may be given to end by itself. */
const MAX_STOP_SECONDS = 3_600;
/** Milliseconds the container engine has to answer for `/health`. */
const HEALTH_TIMEOUT_MS = 3_000;

interface HandlerContext {
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

export type Handlers = {
  readonly [Id in OperationId]: (
    input: OperationInput<Id>,
    context: HandlerContext,
  ) => Promise<OperationAnswer<Id> | (OperationAnswer<Id> extends string ? Readable : never)>;
};

interface HandlerOptions {
  readonly workloads: WorkloadSupervisor;
  readonly registry: RegistryCatalog;
  readonly clients: ClientManager;
  readonly secrets: SecretManager;
  readonly version: string;
}

export function createHandlers({ workloads, registry, clients, secrets, version }: HandlerOptions): Handlers {
  const document = openApiDocument(version);
  return {
    getHealth: async (_input, { signal }) => {
      const timeout = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
      try {
        await workloads.pingEngine(AbortSignal.any([signal, timeout]));
      } catch (error) {
        if (!timeout.aborted) throw error;
        throw new ThvError("ENGINE_UNREACHABLE", `no answer within ${HEALTH_TIMEOUT_MS / 1000} s`, { cause: error });
      }
    },
    getOpenApi: async () => document,
    getVersion: async () => ({ version }),
    listWorkloads: async ({ query }) => {
      const all = workloads.list();
      const wanted = wantedLabels(query.label);
      const shown = all
        .filter(({ status }) => query.all === "true" || status === "running")
        .filter(({ labels = {} }) => wanted.every(([key, value]) => labels[key] === value));
      return { workloads: shown.map(workloadBody) };
    },
    createWorkload: async ({ body }) => {
      const { name, port } = await workloads.create(createRequest(body));
      return { name, port };
    },
    getWorkload: async ({ params }) => {
      assertWorkloadName(params.name);
      return workloadBody(workloads.get(params.name));
    },
    deleteWorkload: async ({ params, query }) => {
      assertWorkloadName(params.name);
      const graceSeconds = stopTimeout(query.timeout);
      await workloads.delete(params.name, { graceSeconds, isForced: query.force === "true" });
    },
    stopWorkload: async ({ params, query }) => {
      assertWorkloadName(params.name);
      await workloads.stop(params.name, stopTimeout(query.timeout));
    },
    restartWorkload: async ({ params }) => {
      assertWorkloadName(params.name);
      await workloads.restart(params.name);
    },
    getWorkloadLogs: async ({ params, query }, { signal }) => {
      assertWorkloadName(params.name);
      if (query.follow === "true") {
        const lines = await workloads.followLogs(params.name, MAX_LOG_LINES, signal);
        return Readable.from(withNewlines(lines));
      }
      const lines = await workloads.readLogs(params.name, MAX_LOG_LINES, signal);
      return lines.map((line) => `${line}\n`).join("");
    },
    ...bulkHandlers(workloads),
    ...clientsHandlers(clients),
    ...secretsHandlers(secrets),
    ...registryHandlers(registry),
  };
}

async function* withNewlines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** @param query A parameter that is given twice arrives as a list. @throws {ThvError} `INVALID_ARGUMENT`. */
function wantedLabels(query: string | readonly string[] = []): (readonly [key: string, value: string])[] {
  const texts = [query].flat().flatMap((text) => text.split(","));
  return texts
    .filter((text) => text !== "")
    .map((text) => {
      const split = text.indexOf("=");
      if (split === -1) throw new ThvError("INVALID_ARGUMENT", `"${text.slice(0, 100)}" is not KEY=VALUE`);
      return [text.slice(0, split), text.slice(split + 1)] as const;
    });
}

/** A create request as the domain has it. */
export function createRequest(body: CreateWorkloadBody): CreateWorkloadRequest {
  return {
    image: body.image,
    name: body.name,
    host: body.host,
    allowedHosts: body.allowed_hosts,
    proxyPort: body.proxy_port || undefined,
    targetPort: body.target_port || undefined,
    targetHost: body.target_host || undefined,
    transport: oneOf("transport", TRANSPORT_TYPES, body.transport),
    proxyMode: oneOf("proxy_mode", PROXY_MODES, body.proxy_mode),
    cmdArguments: body.cmd_arguments,
    envVars: body.env_vars,
    secrets: body.secrets,
    labels: body.labels,
    caCertificate: body.ca_certificate || undefined,
    permissionProfile: body.permission_profile,
    isolateNetwork: body.network_isolation,
    volumes: body.volumes,
    limits: body.limits && {
      ...(body.limits.memory_bytes !== undefined && { memoryBytes: body.limits.memory_bytes }),
      ...(body.limits.cpus !== undefined && { cpus: body.limits.cpus }),
      ...(body.limits.pids !== undefined && { pids: body.limits.pids }),
    },
    readOnly: body.read_only,
    imageVerification: body.image_verification,
    provenance: body.provenance,
    access: accessRequest(body),
  };
}

/** @returns Seconds. @throws {ThvError} `INVALID_ARGUMENT`. */
function stopTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= MAX_STOP_SECONDS) return seconds;
  throw new ThvError(
    "INVALID_ARGUMENT",
    `"${text.slice(0, 100)}" is not a number of seconds from 0 to ${MAX_STOP_SECONDS}`,
  );
}

/** The reference accepts the values in upper case too. */
function oneOf<T extends string>(member: string, values: readonly T[], value: string | undefined): T | undefined {
  if (!value) return undefined;
  const known = values.find((candidate) => candidate === value.toLowerCase());
  if (known) return known;
  throw new ThvError("INVALID_ARGUMENT", `${member} "${value.slice(0, 100)}" is not one of ${values.join(", ")}`);
}

export function workloadBody(workload: Workload): WorkloadBody {
  return {
    name: workload.name,
    package: workload.package,
    url: workload.url,
    port: workload.port,
    tool_type: workload.toolType,
    transport_type: workload.transportType,
    status: workload.status,
    ...(workload.statusContext && { status_context: workload.statusContext }),
    ...(workload.error && {
      error: {
        code: workload.error.code,
        message: workload.error.message,
        ...(workload.error.hint && { hint: workload.error.hint }),
      },
    }),
    ...(workload.pull && {
      pull: workload.pull.map(({ id, state, currentBytes, totalBytes }) => ({
        id,
        state,
        current_bytes: currentBytes,
        total_bytes: totalBytes,
      })),
    }),
    created_at: workload.createdAt.toISOString(),
    ...(workload.labels && { labels: { ...workload.labels } }),
  };
}
