/** Records who did what, with which result and duration (api-behaviour 10.7). Records refused callers, too. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type AuditConfig, type AuditEventType, DEFAULT_MAX_DATA_SIZE } from "@toolhive/core";
import { isRecord } from "@toolhive/http/values";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { hasTooManyValues } from "../messages/json-scanner.ts";
import { DEFAULT_BOUNDS } from "../options/limits.ts";
import type { AuditLog } from "./audit-log.ts";
import { type Ending, type Observation, type Observer, type Outcome, observeOnce } from "./observer.ts";
import { redact } from "./redact.ts";

const TYPES: Readonly<Record<string, AuditEventType>> = {
  initialize: "mcp_initialize",
  "tools/call": "mcp_tool_call",
  "tools/list": "mcp_tools_list",
  "resources/read": "mcp_resource_read",
  "resources/list": "mcp_resources_list",
  "prompts/get": "mcp_prompt_get",
  "prompts/list": "mcp_prompts_list",
  ping: "mcp_ping",
  "logging/setLevel": "mcp_logging",
  "completion/complete": "mcp_completion",
  "notifications/roots/list_changed": "mcp_roots_list_changed",
};

export interface AuditorOptions {
  readonly config: AuditConfig;
  /** Workload name. */
  readonly name: string;
  readonly transport: string;
  readonly log: AuditLog;
  readonly now: () => number;
  readonly date: () => Date;
}

interface Target {
  readonly method: string;
  readonly name?: string | undefined;
  readonly endpoint?: string;
}

export class Auditor implements Observer {
  readonly #options: AuditorOptions;

  constructor(options: AuditorOptions) {
    this.#options = options;
  }

  begin(caller: Caller, message: ClientMessage): Observation {
    const startedAt = this.#options.now();
    return observeOnce((ending) => this.#message(caller, message, ending, startedAt));
  }

  /** Audits HTTP exchanges without a JSON-RPC message: streams, deletes, refused requests. */
  exchange(request: IncomingMessage, response: ServerResponse, caller: Caller | undefined): void {
    const startedAt = this.#options.now();
    response.once("close", () => {
      const { statusCode } = response;
      // A denial by policies is audited as a message.
      if (request.method === "POST" && (statusCode < 400 || statusCode === 403)) return;
      const isStream = request.method === "GET" && String(request.headers.accept ?? "").includes("text/event-stream");
      const endpoint = (request.url ?? "/").split("?", 1)[0] ?? "/";
      this.#write({
        type: isStream ? "sse_connection" : "http_request",
        outcome: deriveStatusOutcome(statusCode),
        address: readPeerAddress(request),
        caller,
        target: { method: request.method ?? "", endpoint },
        startedAt,
        bytes: 0,
        data: undefined,
      });
    });
  }

  close(): Promise<void> {
    return this.#options.log.close();
  }

  #message(caller: Caller, message: ClientMessage, { outcome, response }: Ending, startedAt: number): void {
    const { envelope, params } = message;
    const { config } = this.#options;
    const kind = envelope.kind === "notification" ? "mcp_notification" : "mcp_request";
    const name = [params.name, params.uri].find((value) => typeof value === "string") as string | undefined;
    const data = {
      ...(config.include_request_data && { request: this.#prepareData(params) }),
      ...(config.include_response_data && response && { response: this.#prepareData(parseMessage(response)) }),
    };
    this.#write({
      type: Object.hasOwn(TYPES, envelope.method) ? (TYPES[envelope.method] ?? kind) : kind,
      outcome,
      address: caller.address ?? "",
      caller,
      target: { method: envelope.method.slice(0, 200), name: name?.slice(0, 500) },
      startedAt,
      bytes: response?.length ?? 0,
      data: Object.keys(data).length > 0 ? data : undefined,
    });
  }

  #write(event: {
    readonly type: AuditEventType;
    readonly outcome: Outcome;
    readonly address: string;
    readonly caller: Caller | undefined;
    readonly target: Target;
    readonly startedAt: number;
    readonly bytes: number;
    readonly data: unknown;
  }): void {
    const { config, name, transport, log, now, date } = this.#options;
    const { type, outcome, caller, target, data } = event;
    if (config.exclude_event_types?.includes(type)) return;
    if (config.event_types && config.event_types.length > 0 && !config.event_types.includes(type)) return;
    const at = date().toISOString();
    const { sub, iss, name: person, email } = caller?.claims ?? {};
    log.write({
      time: at,
      level: "INFO+2",
      msg: "audit_event",
      audit_id: randomUUID(),
      type,
      logged_at: at,
      outcome,
      component: config.component || name,
      source: { type: "network", value: event.address },
      subjects: {
        ...(typeof sub === "string" && { user_id: sub }),
        ...(typeof iss === "string" && { issuer: iss }),
        user: [person, email, sub].find((value) => typeof value === "string") ?? "anonymous",
      },
      target,
      metadata: {
        extra: {
          duration_ms: Math.round((now() - event.startedAt) * 1000) / 1000,
          transport,
          response_size_bytes: event.bytes,
        },
      },
      ...(data !== undefined && { data }),
    });
  }

  /** Redacted and truncated. */
  #prepareData(value: unknown): unknown {
    const max = this.#options.config.max_data_size ?? DEFAULT_MAX_DATA_SIZE;
    const { value: safe, isCut } = redact(value, max);
    const text = JSON.stringify(safe) ?? "";
    return text.length <= max && !isCut ? safe : `${text.slice(0, max)}…`;
  }
}

/** The peer's own address: a client can invent X-Forwarded-For. */
export function readPeerAddress({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? "";
}

function deriveStatusOutcome(status: number): Outcome {
  if (status < 400) return "success";
  if (status === 401 || status === 403) return "denied";
  return status < 500 ? "failure" : "error";
}

function parseMessage(response: Buffer): unknown {
  // Parsing needs a multiple of their bytes, so only the size is recorded.
  if (hasTooManyValues(response, DEFAULT_BOUNDS.maxMessageValues)) return undefined;
  try {
    const message: unknown = JSON.parse(response.toString("utf8"));
    return isRecord(message) ? (message.result ?? message.error) : message;
  } catch {
    // A server may write invalid JSON; then only the size is recorded.
    return undefined;
  }
}
