/** One of several operators works; the others are on standby. */

import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "@toolhive/core";
import { describeError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import type { ClusterClient } from "../cluster/index.ts";
import { LEASE_NAME } from "../contract/index.ts";
import { Lease, printTime } from "./lease.ts";

/** A leader that was killed is replaced after `leaseMs` and at most one `tryMs`. */
export interface ElectionTimes {
  /** Whole seconds, in milliseconds, without a renewal after which another operator may lead. */
  readonly leaseMs: number;
  /** Milliseconds between renewals. */
  readonly renewMs: number;
  /** Milliseconds without a renewal after which a leader stops to work. Less than `leaseMs`: two never work at once. */
  readonly deadlineMs: number;
  /** Milliseconds between readings of the lease by operators on standby. */
  readonly tryMs: number;
}

const TIMES: ElectionTimes = { leaseMs: 15_000, renewMs: 2_000, deadlineMs: 10_000, tryMs: 2_000 };
/** Milliseconds that the API server has for a renewal at least, and between two attempts of one at most. */
const LEAST_MS = 250;
/** Milliseconds between checks whether the API server has answered for the first time. */
const IN_TOUCH_MS = 50;
/** Milliseconds for the last request, which gives the lease up. */
const RELEASE_WITHIN_MS = 3_000;

export interface ElectionOptions {
  /** Of its own: a busy operator's requests must not keep its renewals waiting. */
  readonly client: ClusterClient;
  readonly namespace: string;
  readonly log: Logger;
  /** Default: 15 s, renewed every 2 s and given up after 10 s. */
  readonly times?: ElectionTimes;
  /** Of this process; no other one may have the same. */
  readonly identity: string;
}

export class LeaderElection {
  readonly #options: ElectionOptions;
  readonly #times: ElectionTimes;
  readonly #lease: Lease;
  /** When the API server answered last, by `performance.now()`. */
  #answeredAt: number | undefined;
  #isLeader = false;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#times = options.times ?? TIMES;
    const { client, namespace, identity } = options;
    const durationSeconds = this.#times.leaseMs / 1_000;
    this.#lease = new Lease({ client, namespace, name: LEASE_NAME, identity, durationSeconds });
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  /** Whether the API server answered within the time that a lease lasts. */
  get isInTouch(): boolean {
    return this.#answeredAt !== undefined && performance.now() - this.#answeredAt < this.#times.leaseMs;
  }

  /** Resolves once the API server has answered, or the signal is aborted. */
  async untilInTouch(signal: AbortSignal): Promise<void> {
    while (this.#answeredAt === undefined && !signal.aborted) await this.#wait(IN_TOUCH_MS, signal);
  }

  /**
   * Calls `lead` each time that this process becomes the leader, until the signal is aborted.
   *
   * @param lead Works until its own signal is aborted, because leadership was lost or all is over. No other process leads
   * before it has ended, if it ends within 5 s.
   * @throws What `lead` throws.
   */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      if (!(await this.#tryToHold(signal, this.#times.deadlineMs))) {
        await this.#wait(this.#times.tryMs, signal);
        continue;
      }
      await this.#lead(signal, lead);
    }
  }

  async #lead(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { log, identity } = this.#options;
    const lost = new AbortController();
    const over = new AbortController();
    this.#isLeader = true;
    log.info({ identity }, "leading");
    void this.#announce(over.signal);
    const renewing = this.#keepRenewing(over.signal).then((reason) => {
      if (reason === undefined) return;
      this.#isLeader = false;
      log.warn({ reason }, "leadership lost");
      lost.abort(new Error(reason));
    });
    try {
      await lead(AbortSignal.any([signal, lost.signal]));
    } finally {
      this.#isLeader = false;
      over.abort();
      await renewing;
      if (!lost.signal.aborted) await this.#release();
    }
  }

  /** @returns Why the leadership was lost; `undefined` when the signal was aborted. */
  async #keepRenewing(signal: AbortSignal): Promise<string | undefined> {
    const { deadlineMs, renewMs, tryMs } = this.#times;
    // Counted from before a request: the API server may have stored it at any time since.
    let renewedAt = performance.now();
    let waitMs = renewMs;
    for (;;) {
      await this.#wait(waitMs, signal);
      if (signal.aborted) return undefined;
      const leftMs = deadlineMs - (performance.now() - renewedAt);
      if (leftMs <= 0) return `the lease could not be renewed for ${deadlineMs / 1_000} s`;
      const startedAt = performance.now();
      // A request that gets no answer leaves time for others: each has half of what is left.
      const isHeld = await this.#tryToHold(signal, Math.min(leftMs, Math.max(LEAST_MS, leftMs / 2)));
      if (signal.aborted) return undefined;
      if (isHeld === false) return "another operator holds the lease";
      if (isHeld) renewedAt = startedAt;
      const remainingMs = Math.max(0, deadlineMs - (performance.now() - renewedAt));
      waitMs = isHeld ? renewMs : Math.min(tryMs, LEAST_MS, remainingMs);
    }
  }

  /** @returns Whether this process holds the lease; `undefined` when that is not known. */
  async #tryToHold(signal: AbortSignal, withinMs: number): Promise<boolean | undefined> {
    try {
      const state = await this.#lease.hold(AbortSignal.any([signal, startTimeout(Math.ceil(withinMs))]));
      this.#answeredAt = performance.now();
      return state.isHeld;
    } catch (error) {
      if (!signal.aborted) this.#options.log.warn({ error: describeError(error) }, "lease not reached");
      return undefined;
    }
  }

  async #release(): Promise<void> {
    try {
      await this.#lease.release(startTimeout(RELEASE_WITHIN_MS));
    } catch (error) {
      this.#options.log.warn({ error: describeError(error) }, "lease not given up");
    }
  }

  /** An Event, which is how the reference says who leads. */
  async #announce(signal: AbortSignal): Promise<void> {
    const { client, namespace, identity, log } = this.#options;
    const now = printTime();
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { generateName: `${LEASE_NAME}.`, namespace },
      involvedObject: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace, name: LEASE_NAME },
      type: "Normal",
      reason: "LeaderElection",
      message: `${identity} became leader`,
      source: { component: "toolhive-operator" },
      reportingComponent: "toolhive-operator",
      reportingInstance: identity,
      action: "LeaderElection",
      eventTime: now,
    };
    try {
      await client.send({ method: "POST", path: `/api/v1/namespaces/${namespace}/events`, body: event, signal });
    } catch (error) {
      log.debug({ error: describeError(error) }, "event not written");
    }
  }

  /** Ends early, and without an error, when the signal is aborted. */
  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    await delay(ms, undefined, { signal }).catch(() => undefined);
  }
}
