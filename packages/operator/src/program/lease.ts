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

/** A request of this process that was given up may still be stored, between a reading and the next write. */
const MAX_RETRIES = 2;

export class Lease {
  readonly #options: LeaseOptions;
  /** The version that was read last, and when it was read first, by the clock of this process. */
  #seen: { readonly version: string; readonly at: number } | undefined;
  /** As this process stored it last; `undefined` when something else may be stored by now. */
  #stored: JsonObject | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /**
   * Renews the lease when this process holds it, with one request, and takes it when there is no holder or the holder stopped
   * renewing it. Clocks of machines are not compared: what counts is how long this process has seen no renewal.
   *
   * @throws {ClusterError} When the API server cannot be asked, or it is not known who holds the lease.
   */
  async hold(signal: AbortSignal): Promise<LeaseState> {
    const { identity, durationSeconds } = this.#options;
    let found = this.#stored;
    for (let retries = 0; ; retries += 1) {
      if (found === undefined || retries > 0) {
        found = await this.#read(signal);
        const holder: string = found?.spec?.holderIdentity ?? "";
        const seconds: number = found?.spec?.leaseDurationSeconds ?? durationSeconds;
        if (found !== undefined && holder !== "" && holder !== identity && !this.#isOver(found, seconds))
          return { isHeld: false, holder };
      }
      try {
        await this.#store(found, signal);
        return { isHeld: true, holder: identity };
      } catch (error) {
        // It is not as it was: another process was faster, or a request of this one that was given up.
        const isChanged = error instanceof ClusterError && (error.status === 409 || error.status === 404);
        if (!isChanged || retries === MAX_RETRIES) throw error;
      }
    }
  }

  /** Gives it up, so that another process need not wait. Nothing happens when this process does not hold it. */
  async release(signal: AbortSignal): Promise<void> {
    this.#stored = undefined;
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

  /** Writes this process into it. The version makes sure that of two processes only one takes it. */
  async #store(found: JsonObject | undefined, signal: AbortSignal): Promise<void> {
    const { client, namespace, name } = this.#options;
    const spec = this.#describe(found?.spec);
    this.#stored = undefined;
    if (found !== undefined) {
      this.#stored = await this.#write({ ...found, spec }, signal);
      return;
    }
    const lease = { apiVersion: API, kind: "Lease", metadata: { namespace, name }, spec };
    this.#stored = await client.send({ method: "POST", path: this.#collection, body: lease, signal });
  }

  async #write(lease: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { client, name } = this.#options;
    return await client.send({ method: "PUT", path: `${this.#collection}/${name}`, body: lease, signal });
  }
}

/** Now, with the microseconds that the API demands. */
export function printTime(): string {
  return new Date().toISOString().replace("Z", "000Z");
}
