/**
 * Authenticates every request of an endpoint before its body is read, and opens the policies and observers that see
 * its messages. An endpoint without access rules has none of this, at no cost.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { AccessConfig, Logger } from "@toolhive/core";
import { Policy } from "../authz/policy.ts";
import type { Access } from "../http/access.ts";
import { HttpRefusal, readHeader, sendJson } from "../http/http-exchange.ts";
import { createLocalCaller, UNAUTHENTICATED_CALLER } from "../messages/caller.ts";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import { type AuditLog, openAuditLog } from "../observe/audit-log.ts";
import { Auditor, readPeerAddress } from "../observe/auditor.ts";
import { combineObservers, type Observer } from "../observe/observer.ts";
import { RecentCalls } from "../observe/recent-calls.ts";
import type { Telemetry, TelemetryOptions } from "../observe/telemetry.ts";
import { Authenticator } from "./authenticator.ts";
import { buildResourceMetadata, parseMetadataPath } from "./protected-resource.ts";

export interface OpenAccessOptions {
  /** Workload name. */
  readonly name: string;
  /** Transport of the server. */
  readonly transport: string;
  readonly config: AccessConfig | undefined;
  readonly mayWaitForIssuer: boolean | undefined;
  readonly log: Logger;
}

/** @throws {ThvError} `INVALID_ARGUMENT`, `ISSUER_UNAVAILABLE`. */
export async function openAccess(options: OpenAccessOptions): Promise<Access> {
  const { name, transport, config = {}, mayWaitForIssuer = false, log } = options;
  const { oidc_config, authz_config } = config;
  const policy = authz_config && Policy.open(authz_config, log);
  const authenticator =
    oidc_config && (await Authenticator.open({ config: oidc_config, mayWait: mayWaitForIssuer, log }));

  const clock = { now: () => performance.now(), date: () => new Date() };
  const observers: Observer[] = [];
  let requiredLog: AuditLog | undefined;
  if (config.audit_config !== undefined) {
    const audit = config.audit_config;
    const auditLog = await openAuditLog(audit.log_file, log);
    if (audit.required) requiredLog = auditLog;
    observers.push(new Auditor({ config: audit, name, transport, log: auditLog, ...clock }));
  }
  const telemetry =
    config.telemetry_config && (await loadTelemetry({ config: config.telemetry_config, name, transport, log }));
  if (telemetry !== undefined) observers.push(telemetry);
  // Where nothing else reads messages, they pass unread; a list of calls is not worth reading them.
  const recentCalls = policy !== undefined || observers.length > 0 ? new RecentCalls(clock) : undefined;
  if (recentCalls !== undefined) observers.push(recentCalls);
  const observer = combineObservers(observers);

  return {
    observer,
    rules: policy,
    judge: policy?.judge.bind(policy),
    recentCalls,
    needsToken: authenticator !== undefined,
    isRestricted: authenticator !== undefined || policy !== undefined,
    admit: async (request, response, path) => {
      // Monitors carry no token (api-behaviour 6.1).
      if (path === "/health") return UNAUTHENTICATED_CALLER;
      if (path === "/metrics" && telemetry?.answerMetrics !== undefined) {
        telemetry.answerMetrics(request, response);
        return undefined;
      }
      if (requiredLog?.isWritable === false) throw createAuditRefusal();
      const origin = { address: readPeerAddress(request), ...(telemetry && { trace: readTrace(request) }) };
      if (authenticator === undefined) {
        const caller = { ...createLocalCaller(new Date()), ...origin };
        observer?.exchange?.(request, response, caller);
        return caller;
      }
      const resource = parseMetadataPath(path);
      if (resource !== undefined) {
        answerMetadata(request, response, resource, authenticator);
        return undefined;
      }
      try {
        const caller = { ...(await authenticator.authenticate(request)), ...origin };
        observer?.exchange?.(request, response, caller);
        return caller;
      } catch (error) {
        observer?.exchange?.(request, response, undefined);
        throw error;
      }
    },
  };
}

function createAuditRefusal(): HttpRefusal {
  const message = "The audit log cannot be written, and calls that are not written down are refused here.";
  return new HttpRefusal(503, RPC_ERRORS.SERVER_UNAVAILABLE, message, { headers: { "retry-after": "1" } });
}

/** Imported on demand: its libraries are large, and most workloads need none of them. */
async function loadTelemetry(options: Omit<TelemetryOptions, "env" | "now">): Promise<Telemetry> {
  const { openTelemetry } = await import("../observe/telemetry.ts");
  return openTelemetry({ ...options, env: process.env, now: () => performance.now() });
}

function readTrace(request: IncomingMessage): Record<string, string> {
  const traceparent = readHeader(request, "traceparent");
  const tracestate = readHeader(request, "tracestate");
  return { ...(traceparent !== undefined && { traceparent }), ...(tracestate !== undefined && { tracestate }) };
}

/** Needs no token: a client reads here where to get one. */
function answerMetadata(
  request: IncomingMessage,
  response: ServerResponse,
  resource: string,
  { issuer, scopes }: Pick<Authenticator, "issuer" | "scopes">,
): void {
  if (request.method !== "GET" && request.method !== "HEAD") {
    throw new HttpRefusal(405, RPC_ERRORS.INVALID_REQUEST, "Use GET.", { headers: { allow: "GET, HEAD" } });
  }
  if (issuer === undefined) {
    throw new HttpRefusal(404, RPC_ERRORS.INVALID_REQUEST, "Only the keys of the issuer are known, not its address.");
  }
  sendJson(response, 200, buildResourceMetadata(request, resource, { issuer, scopes }), {
    "cache-control": "no-store",
  });
}
