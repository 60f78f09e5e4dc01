/** A `Lease` of the cluster: who holds it, and writing oneself into it. */
import { type ClusterClient, ClusterError } from "../cluster/index.ts";
import type { JsonObject } from "../contract/index.ts";

const API = "coordination.k8s.io/v1";

export interface LeaseState {
  /** Whether this process holds it now. */
  readonly isHeld: boolean;
  /** The holder; empty when there is none. */
  readonly holder: string;
}

export interface LeaseOptions {
  readonly client: ClusterClient;
  readonly namespace: string;
  readonly name: string;
  /** Of this process; no other one may have the same. */
  readonly identity: string;
  /** Seconds without a renewal after which another process may take it. */
  readonly durationSeconds: number;
}

export class Lease {
  readonly #options: LeaseOptions;
  /** The version that was read last, and when it was read first, by the clock of this process. */
  #seen: { readonly version: string; readonly at: number } | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /**
   * Renews the lease when this process holds it, and takes it when there is no holder or the holder stopped renewing it. Clocks
   * of machines are not compared: what counts is how long this process has seen no renewal.
   *
   * @throws {ClusterError} When the API server cannot be asked.
   */
  async hold(signal: AbortSignal): Promise<LeaseState> {
    const { client, identity, durationSeconds } = this.#options;
    const found = await this.#read(signal);
    try {
      if (found === undefined) {
        const { namespace, name } = this.#options;
        const lease = {
          apiVersion: API,
          kind: "Lease",
          metadata: { namespace, name },
          spec: this.#describe(undefined),
        };
        await client.send({ method: "POST", path: this.#collection, body: lease, signal });
        return { isHeld: true, holder: identity };
      }
      const holder: string = found.spec?.holderIdentity ?? "";
      const seconds: number = found.spec?.leaseDurationSeconds ?? durationSeconds;
      if (holder !== "" && holder !== identity && !this.#isOver(found, seconds)) return { isHeld: false, holder };
      // The version makes sure that of two processes only one takes it.
      await this.#write({ ...found, spec: this.#describe(found.spec) }, signal);
      return { isHeld: true, holder: identity };
    } catch (error) {
      // Another process was faster.
      if (error instanceof ClusterError && error.status === 409) return { isHeld: false, holder: "" };
      throw error;
    }
  }

  /** Gives it up, so that another process need not wait. Nothing happens when this process does not hold it. */
  async release(signal: AbortSignal): Promise<void> {
    const found = await this.#read(signal);
    if (found === undefined || found.spec?.holderIdentity !== this.#options.identity) return;
    // One second: the API server refuses 0.
    const spec = { ...found.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: printTime() };
    await this.#write({ ...found, spec }, signal);
  }

  #isOver({ metadata }: JsonObject, seconds: number): boolean {
    const version: string = metadata.resourceVersion;
    const now = performance.now();
    if (this.#seen?.version !== version) this.#seen = { version, at: now };
    return now - this.#seen.at > seconds * 1_000;
  }

  #describe(previous: JsonObject | undefined): JsonObject {
    const { identity, durationSeconds } = this.#options;
    const now = printTime();
    const isRenewal = previous?.holderIdentity === identity;
    return {
      ...previous,
      holderIdentity: identity,
      leaseDurationSeconds: durationSeconds,
      renewTime: now,
      acquireTime: isRenewal ? previous.acquireTime : now,
      leaseTransitions: (previous?.leaseTransitions ?? 0) + (previous === undefined || isRenewal ? 0 : 1),
    };
  }

  get #collection(): string {
    return `/apis/${API}/namespaces/${this.#options.namespace}/leases`;
  }

  async #read(signal: AbortSignal): Promise<JsonObject | undefined> {
    const { client, name } = this.#options;
    try {
      return await client.send({ path: `${this.#collection}/${name}`, signal });
    } catch (error) {
      if (error instanceof ClusterError && error.status === 404) return undefined;
      throw error;
    }
  }

  async #write(lease: JsonObject, signal: AbortSignal): Promise<void> {
    const { client, name } = this.#options;
    await client.send({ method: "PUT", path: `${this.#collection}/${name}`, body: lease, signal });
  }
}

/** Now, with the microseconds that the API demands. */
export function printTime(): string {
  return new Date().toISOString().replace("Z", "000Z");
}
