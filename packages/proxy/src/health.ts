/**
 * `GET /health` of the endpoint: the document of the reference implementation (section 6.6) with the server's measured
 * latency and the endpoint's counts.
 */
import { type McpEndpointCounts, messageOf } from "@toolhive/core";
import type { Limits } from "./limits.ts";
import type { Mux } from "./mux.ts";

export interface HealthDocument {
  readonly status: "healthy" | "degraded";
  readonly timestamp: string;
  readonly transport: string;
  readonly mcp: {
    readonly available: boolean;
    readonly response_time_ms?: number;
    readonly error?: string;
    readonly last_checked: string;
  };
  readonly counts: McpEndpointCounts;
}

export interface HealthOptions {
  readonly mux: Pick<Mux, "isConnected" | "isInitialized" | "probe">;
  readonly limits: Limits;
  readonly transport: string;
  readonly counts: () => McpEndpointCounts;
  readonly now: () => number;
  readonly date: () => Date;
}

type Mcp = HealthDocument["mcp"];

export class Health {
  readonly #options: HealthOptions;
  #last: { readonly at: number; readonly mcp: Promise<Mcp> } | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  async read(): Promise<HealthDocument> {
    const { transport, counts, date, now, limits } = this.#options;
    if (this.#last === undefined || now() - this.#last.at >= limits.healthCacheMs) {
      this.#last = { at: now(), mcp: this.#measure() };
    }
    const mcp = await this.#last.mcp;
    return {
      status: mcp.available ? "healthy" : "degraded",
      timestamp: date().toISOString(),
      transport,
      mcp,
      counts: counts(),
    };
  }

  async #measure(): Promise<Mcp> {
    const { mux, limits, date } = this.#options;
    const last_checked = date().toISOString();
    if (!mux.isConnected) return { available: false, error: "The server is not connected.", last_checked };
    // Before initialize some servers take any other message for a fault and exit, so they are not asked.
    if (!mux.isInitialized) return { available: true, last_checked };
    try {
      const latencyMs = await mux.probe(AbortSignal.timeout(limits.probeMs));
      return { available: true, response_time_ms: Math.round(latencyMs * 1000) / 1000, last_checked };
    } catch (error) {
      return { available: false, error: messageOf(error), last_checked };
    }
  }
}
