/**
 * `GET /health` of the endpoint: the document of the reference implementation (section 6.6) with the server's measured
 * latency and the endpoint's counts.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { McpEndpointCounts } from "@toolhive/core";
import { describeError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import type { Limits } from "../options/limits.ts";
import { HttpRefusal, sendJson } from "./http-exchange.ts";

/** The program that serves the endpoint, with the reference's keys. */
export interface HealthVersion {
  readonly version: string;
  readonly commit: string;
  readonly build_date: string;
  /** Here the version of Node.js. */
  readonly go_version: string;
  readonly platform: string;
}

interface HealthDocument {
  readonly status: "healthy" | "degraded";
  readonly timestamp: string;
  readonly version: HealthVersion;
  readonly transport: string;
  readonly mcp: {
    readonly available: boolean;
    readonly response_time_ms?: number;
    readonly error?: string;
    readonly last_checked: string;
  };
  readonly counts: McpEndpointCounts;
}

/** The server behind an endpoint, as far as its health goes. */
export interface ProbedServer {
  readonly isConnected: boolean;
  /** Some servers exit on any message before `initialize`, so they are not probed until then. */
  readonly isInitialized: boolean;
  /** @returns Milliseconds of one round trip. */
  probe(signal: AbortSignal): Promise<number>;
}

export interface HealthOptions {
  readonly server: ProbedServer;
  readonly limits: Limits;
  readonly version: HealthVersion | undefined;
  readonly transport: string;
  readonly counts: () => McpEndpointCounts;
  readonly now: () => number;
  readonly date: () => Date;
}

const UNKNOWN_VERSION: HealthVersion = {
  version: "unknown",
  commit: "unknown",
  build_date: "unknown",
  go_version: `node ${process.version}`,
  platform: `${process.platform}/${process.arch}`,
};

type Mcp = HealthDocument["mcp"];

export class Health {
  readonly #options: HealthOptions;
  #last: { readonly at: number; readonly mcp: Promise<Mcp> } | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  async read(): Promise<HealthDocument> {
    const { transport, counts, date, now, limits, version = UNKNOWN_VERSION } = this.#options;
    if (this.#last === undefined || now() - this.#last.at >= limits.healthCacheMs) {
      this.#last = { at: now(), mcp: this.#measure() };
    }
    const mcp = await this.#last.mcp;
    return {
      status: mcp.available ? "healthy" : "degraded",
      timestamp: date().toISOString(),
      version,
      transport,
      mcp,
      counts: counts(),
    };
  }

  async #measure(): Promise<Mcp> {
    const { server, limits, date } = this.#options;
    const last_checked = date().toISOString();
    if (!server.isConnected) return { available: false, error: "The server is not connected.", last_checked };
    if (!server.isInitialized) return { available: true, last_checked };
    try {
      const latencyMs = await server.probe(startTimeout(limits.probeMs));
      return { available: true, response_time_ms: Math.round(latencyMs * 1000) / 1000, last_checked };
    } catch (error) {
      return { available: false, error: describeError(error), last_checked };
    }
  }
}

/** Answers `GET /health`: always 200; the document holds the status. @throws {HttpRefusal} 405. */
export async function answerHealth(request: IncomingMessage, response: ServerResponse, health: Health): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    throw new HttpRefusal(405, RPC_ERRORS.INVALID_REQUEST, "Use GET.", { headers: { allow: "GET, HEAD" } });
  }
  sendJson(response, 200, Buffer.from(JSON.stringify(await health.read())), { "cache-control": "no-store" });
}
