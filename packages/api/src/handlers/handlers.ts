/** What the operations do: translates between the wire and the domain, and nothing else. */
import { Readable } from "node:stream";
import {
  assertWorkloadName,
  type ClientManager,
  parseLogQuery,
  type RegistryCatalog,
  type SecretManager,
  type StampedLine,
  stampOf,
  ThvError,
  type Workload,
  type WorkloadSupervisor,
} from "@toolhive/core";
import type { OperationAnswer, OperationInput } from "../contract/contract.ts";
import { createRequest } from "../contract/create-request.ts";
import { MAX_LOG_LINES } from "../contract/limits.ts";
import type { OperationId } from "../contract/routes.ts";
import type { WorkloadBody } from "../contract/workload-schemas.ts";
import { openApiDocument } from "../openapi/openapi.ts";
import { bulkHandlers } from "./workloads.ts";
import { clientsHandlers } from "./clients.ts";
import { registryHandlers } from "./registry.ts";
import { secretsHandlers } from "./secrets.ts";

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
        // One that ran before the supervisor was started again is on its way: it must not look like one that is gone.
        .filter(({ status, isTakenOver }) => query.all === "true" || status === "running" || isTakenOver)
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
    restartWorkload: async ({ params, query }) => {
      assertWorkloadName(params.name);
      await workloads.restart(params.name, { proxyPort: proxyPort(query.proxy_port), pull: query.pull === "true" });
    },
    getWorkloadLogs: async ({ params, query }, { signal }) => {
      assertWorkloadName(params.name);
      const selection = parseLogQuery(query, { defaultTail: MAX_LOG_LINES });
      const format = query.timestamps === "true" ? stampedText : plainText;
      if (query.follow === "true") {
        return Readable.from(formatted(await workloads.followLogs(params.name, selection, signal), format));
      }
      return (await workloads.readLogs(params.name, selection, signal)).map(format).join("");
    },
    ...bulkHandlers(workloads),
    ...clientsHandlers(clients),
    ...secretsHandlers(secrets),
    ...registryHandlers(registry),
  };
}

function plainText({ text }: StampedLine): string {
  return `${text}\n`;
}

function stampedText({ at, text }: StampedLine): string {
  return `${at === undefined ? "-" : stampOf(at)} ${text}\n`;
}

async function* formatted(
  lines: AsyncIterable<StampedLine>,
  format: (line: StampedLine) => string,
): AsyncGenerator<string> {
  for await (const line of lines) yield format(line);
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

/** @throws {ThvError} `INVALID_ARGUMENT`. */
function proxyPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new ThvError("INVALID_ARGUMENT", `"${text.slice(0, 100)}" is not a port from 1 to 65535`);
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
    ...(workload.warnings && { warnings: [...workload.warnings] }),
    created_at: workload.createdAt.toISOString(),
    ...(workload.labels && { labels: { ...workload.labels } }),
  };
}
