/** The endpoint of one workload for its clients: opened, moved and closed while the server behind it starts and ends. */
import { pickAccess } from "../../access/access-config.ts";
import { pickToolSelection, type ToolSelection } from "../../access/tool-selection.ts";
import type { McpEndpoint, McpEndpointOptions, OpenMcpEndpoint } from "../../ports/mcp-endpoint.ts";
import type { WorkloadPins } from "../../tool-pins/workload-pins.ts";
import type { RunConfig } from "../../workload/run-config.ts";
import type { DesiredConfig } from "../state/desired-config.ts";
import type { SleepGate } from "./sleep-gate.ts";

interface WorkloadEndpointOptions {
  readonly config: DesiredConfig;
  readonly pins: WorkloadPins;
  readonly openEndpoint: OpenMcpEndpoint;
}

export class WorkloadEndpoint {
  readonly #options: WorkloadEndpointOptions;
  #endpoint: McpEndpoint | undefined;
  /** Holds the calls of clients while the server sleeps; absent for one that never does. */
  #gate: SleepGate | undefined;

  /** @param endpoint Already listening on the configuration's port, for a workload that is being created. */
  constructor(options: WorkloadEndpointOptions, endpoint: McpEndpoint | undefined) {
    this.#options = options;
    this.#endpoint = endpoint;
    this.applyPins();
  }

  /** Absent while it is closed. */
  get current(): McpEndpoint | undefined {
    return this.#endpoint;
  }

  /** From now on, calls of clients enter this gate, also after the endpoint was reopened. */
  guard(gate: SleepGate): void {
    this.#gate = gate;
    this.#endpoint?.guard(gate);
  }

  /** The endpoint, opened where it is closed. @throws {ThvError} `PORT_IN_USE`. */
  async ensure(): Promise<McpEndpoint> {
    const { config, openEndpoint } = this.#options;
    if (!this.#endpoint) {
      this.#endpoint = await openEndpoint({
        ...buildEndpointOptions(config.current),
        // Open even while the issuer is down: clients get 503, not a refused connection.
        mayWaitForIssuer: true,
      });
      this.applyPins();
    }
    this.#endpoint.guard(this.#gate);
    return this.#endpoint;
  }

  /** Moves to another endpoint, to which no server is connected yet. */
  async moveTo(endpoint: McpEndpoint): Promise<void> {
    await this.close();
    this.#endpoint = endpoint;
    endpoint.guard(this.#gate);
    this.applyPins();
  }

  /** Hands the endpoint over to the caller, with nothing connected to it. */
  release(reason: string): McpEndpoint | undefined {
    const endpoint = this.#endpoint;
    this.#endpoint = undefined;
    endpoint?.disconnect(reason);
    endpoint?.guard(undefined);
    this.#gate?.close();
    return endpoint;
  }

  async close(): Promise<void> {
    const endpoint = this.#endpoint;
    this.#endpoint = undefined;
    this.#gate?.close();
    await endpoint?.close();
  }

  /** Answers what is in flight with the reason; sessions are kept. */
  disconnect(reason: string): void {
    this.#endpoint?.disconnect(reason);
  }

  chooseTools(selection: ToolSelection): void {
    this.#endpoint?.chooseTools(selection);
  }

  /** The pins have become others, or the server may have other tools: clients that stayed list them again. */
  applyPins(): void {
    this.#options.pins.apply(this.#endpoint);
  }
}

/** Options for the endpoint of a workload. */
export function buildEndpointOptions(config: RunConfig): McpEndpointOptions {
  const { name, host, transport, port, remote_url, allowed_hosts: allowedHosts } = config;
  return {
    name,
    host,
    port,
    allowedHosts,
    access: pickAccess(config),
    ...pickToolSelection(config),
    ...(transport !== "inspector" && { transport }),
    ...(remote_url !== undefined && { isRemote: true }),
  };
}
