/**
 * Traces and metrics of calls over OTLP/HTTP, and metrics for Prometheus (api-behaviour 10.7). Loaded only for
 * workloads that enable it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Attributes,
  type Counter,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { type IMetricReader, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-base";
import { DEFAULT_SAMPLING_RATE, DEFAULT_SERVICE_NAME, type Logger, type TelemetryConfig } from "@toolhive/core";
import { isRecord } from "@toolhive/http/values";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { type Observer, type Outcome, observeOnce } from "./observer.ts";
import { redact } from "./redact.ts";

export interface TelemetryOptions {
  readonly config: TelemetryConfig;
  /** Workload name. */
  readonly name: string;
  readonly transport: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly log: Logger;
}

export interface Telemetry extends Observer {
  /** Answers `GET /metrics`; absent unless it is enabled. */
  readonly answerMetrics?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** Characters of one argument and of all of them on a span. */
const MAX_ARGUMENT_LENGTH = 100;
const MAX_ARGUMENTS_LENGTH = 200;
/** Distinct methods and tools that get a label of their own: clients can invent names, and each costs memory. */
const MAX_LABELS = 200;
/** Milliseconds for the last spans and metrics to be exported. */
const FLUSH_MS = 3_000;

export function openTelemetry(options: TelemetryOptions): Telemetry {
  const { config, name, transport, env, now, log } = options;
  // Exporters report their failures only here.
  diag.setLogger(createDiagLogger(log), { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  const resource = resourceFromAttributes({
    "service.name": config.ServiceName ?? DEFAULT_SERVICE_NAME,
    "mcp.server.name": name,
  });
  const { Endpoint: endpoint, Headers: headers = {} } = config;
  const tracing = endpoint === undefined ? undefined : openTracing({ endpoint, headers, config, resource });
  const prometheus = config.EnablePrometheusMetricsPath
    ? new PrometheusExporter({ preventServerStart: true })
    : undefined;
  const readers: IMetricReader[] = [];
  if (prometheus) readers.push(prometheus);
  if (endpoint !== undefined) {
    const exporter = new OTLPMetricExporter({ url: `${endpoint}/v1/metrics`, headers });
    readers.push(new PeriodicExportingMetricReader({ exporter }));
  }
  const meters = new MeterProvider({ resource, readers });
  const metrics = openMetrics(meters, { server: name, transport });
  const environment = readEnvironmentAttributes(config.EnvironmentVariables ?? [], env);

  return {
    begin: (caller, message) => {
      const startedAt = now();
      const span = tracing?.start(caller, message, {
        "mcp.server.name": name,
        "mcp.transport": transport,
        ...environment,
      });
      return observeOnce(({ outcome, response }) => {
        metrics.call(message, outcome, (now() - startedAt) / 1000);
        if (span === undefined) return;
        span.setAttributes({ "mcp.outcome": outcome, "mcp.response.size": response?.length ?? 0 });
        span.setStatus({ code: outcome === "success" ? SpanStatusCode.OK : SpanStatusCode.ERROR });
        span.end();
      });
    },
    exchange: (request, response) => metrics.exchange(request, response),
    close: async () => {
      const flushed = Promise.allSettled([tracing?.close(), meters.shutdown()]);
      const waited = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_MS).unref());
      await Promise.race([flushed, waited]);
    },
    ...(prometheus && {
      answerMetrics: (request: IncomingMessage, response: ServerResponse) =>
        prometheus.getMetricsRequestHandler(request, response),
    }),
  };
}

interface TracingOptions {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly config: TelemetryConfig;
  readonly resource: ReturnType<typeof resourceFromAttributes>;
}

function openTracing({ endpoint, headers, config, resource }: TracingOptions) {
  const provider = new BasicTracerProvider({
    resource,
    sampler: new ParentBasedSampler({
      root: new TraceIdRatioBasedSampler(config.SamplingRate ?? DEFAULT_SAMPLING_RATE),
    }),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers: { ...headers } })),
    ],
  });
  const tracer = provider.getTracer("toolhive-proxy");
  const propagator = new W3CTraceContextPropagator();
  const methods = new Labels();
  return {
    start: (caller: Caller, { envelope, params }: ClientMessage, attributes: Attributes): Span => {
      const parent = propagator.extract(ROOT_CONTEXT, caller.trace ?? {}, {
        get: (carrier: Record<string, string>, key) => carrier[key],
        keys: (carrier) => Object.keys(carrier),
      });
      const id = envelope.id && envelope.text.toString("utf8", envelope.id.start, envelope.id.end);
      const named = [params.name, params.uri].find((value) => typeof value === "string");
      return tracer.startSpan(
        `mcp.${methods.limit(envelope.method)}`,
        {
          kind: SpanKind.SERVER,
          attributes: {
            ...attributes,
            "mcp.method.name": envelope.method.slice(0, 200),
            ...(id !== undefined && { "mcp.request.id": id.slice(0, 200) }),
            ...(typeof named === "string" && { "mcp.target.name": named.slice(0, 500) }),
            ...(typeof caller.claims.sub === "string" && { "enduser.id": caller.claims.sub }),
            ...(caller.address !== undefined && { "client.address": caller.address }),
            ...(envelope.method === "tools/call" && { "mcp.tool.arguments": formatArguments(params.arguments) }),
          },
        },
        parent,
      );
    },
    close: () => provider.shutdown(),
  };
}

function openMetrics(meters: MeterProvider, { server, transport }: { server: string; transport: string }) {
  const meter = meters.getMeter("toolhive-proxy");
  const requests = meter.createCounter("toolhive_mcp_requests_total", { description: "Calls that were answered." });
  const seconds = meter.createHistogram("toolhive_mcp_request_duration_seconds", {
    description: "Time from a call to its answer, in seconds.",
  });
  const connections = meter.createUpDownCounter("toolhive_mcp_active_connections", {
    description: "HTTP exchanges that are open, streams among them.",
  });
  const toolCalls: Counter = meter.createCounter("toolhive_mcp_tool_calls_total", { description: "Calls of tools." });
  const methods = new Labels();
  const tools = new Labels();
  const where = { server, transport };
  return {
    call: ({ envelope, params }: ClientMessage, outcome: Outcome, duration: number): void => {
      const status = outcome === "success" ? "success" : "error";
      const labels = {
        ...where,
        method: "POST",
        status_code: outcome === "denied" ? "403" : "200",
        status,
        mcp_method: methods.limit(envelope.method),
      };
      requests.add(1, labels);
      seconds.record(duration, labels);
      if (envelope.method !== "tools/call") return;
      toolCalls.add(1, { server, tool: tools.limit(typeof params.name === "string" ? params.name : ""), status });
    },
    exchange: (request: IncomingMessage, response: ServerResponse): void => {
      connections.add(1, where);
      response.once("close", () => {
        connections.add(-1, where);
        const { statusCode } = response;
        // Exchanges with messages are counted by message.
        if (request.method === "POST" && (statusCode < 400 || statusCode === 403)) return;
        const status = statusCode < 400 ? "success" : "error";
        requests.add(1, {
          ...where,
          method: request.method ?? "",
          status_code: String(statusCode),
          status,
          mcp_method: "",
        });
      });
    },
  };
}

/** Bounds the number of distinct values of a label. */
class Labels {
  readonly #known = new Set<string>();

  limit(value: string): string {
    const label = value.slice(0, 100);
    if (this.#known.has(label)) return label;
    if (this.#known.size >= MAX_LABELS) return "other";
    this.#known.add(label);
    return label;
  }
}

/** Formats no more than is kept: there may be millions of arguments, or one with millions of characters. */
function formatArguments(args: unknown): string {
  if (!isRecord(args)) return "";
  let shown = "";
  for (const key of Object.keys(args)) {
    const { value, isCut } = redact({ [key]: args[key] }, MAX_ARGUMENT_LENGTH);
    const [[name, safe] = []] = Object.entries(value as Record<string, unknown>);
    const text = typeof safe === "string" ? safe : (JSON.stringify(safe) ?? "");
    const isWhole = !isCut && text.length <= MAX_ARGUMENT_LENGTH;
    shown += `${shown && ", "}${name}=${isWhole ? text : `${text.slice(0, MAX_ARGUMENT_LENGTH)}…`}`;
    if (shown.length > MAX_ARGUMENTS_LENGTH) return `${shown.slice(0, MAX_ARGUMENTS_LENGTH)}…`;
  }
  return shown;
}

function readEnvironmentAttributes(names: readonly string[], env: TelemetryOptions["env"]): Attributes {
  return Object.fromEntries(
    names.flatMap((name) => (env[name] === undefined ? [] : [[`environment.${name}`, env[name]]])),
  );
}

function createDiagLogger(log: Logger) {
  const ignore = (): void => undefined;
  const error = (message: string): void => log.warn({ reason: message.slice(0, 500) }, "telemetry failed");
  return { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
}
