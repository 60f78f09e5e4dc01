/**
 * Tracks which callers a server process has worked for. On stdio a message of the server names no client, so where
 * callers are distinguished this decides who may receive it. Without tokens all requests come from one caller, so a
 * process is never shared.
 */
import type { Limits } from "../options/limits.ts";

interface Abandoned {
  readonly callerId: string;
  readonly until: number;
}

/** Abandoned calls that are remembered; a forgotten one counts for every caller. */
const MAX_ABANDONED = 4096;

export class ServerUsers {
  readonly #limits: Pick<Limits, "abandonedWorkMs">;
  #first: string | undefined;
  #isShared = false;
  /** By the id used towards the server. */
  readonly #abandoned = new Map<number, Abandoned>();
  /** Until when work of unknown callers may continue. */
  #unknownUntil = Number.NEGATIVE_INFINITY;

  constructor(limits: Pick<Limits, "abandonedWorkMs">) {
    this.#limits = limits;
  }

  /** A new process, which has worked for no caller. */
  reset(): void {
    this.#first = undefined;
    this.#isShared = false;
    this.#abandoned.clear();
    this.#unknownUntil = Number.NEGATIVE_INFINITY;
  }

  /** The process has worked for unknown callers (of an earlier supervisor). */
  assumeOthers(now: number): void {
    this.#isShared = true;
    this.#unknownUntil = now + this.#limits.abandonedWorkMs;
  }

  /** The process receives a message of a caller. */
  record(callerId: string): void {
    if (callerId === this.#first) return;
    if (this.#first === undefined) this.#first = callerId;
    else this.#isShared = true;
  }

  /** Whether the process has worked for more than one caller. */
  get isShared(): boolean {
    return this.#isShared;
  }

  /** Whether this caller may receive everything that the process sends. */
  isSole(callerId: string): boolean {
    return !this.#isShared && (this.#first === undefined || this.#first === callerId);
  }

  /** A call was sent to the server, and no client waits for its answer any more. */
  abandon(serverSideId: number, callerId: string, now: number): void {
    const until = now + this.#limits.abandonedWorkMs;
    this.#abandoned.set(serverSideId, { callerId, until });
    if (this.#abandoned.size <= MAX_ABANDONED) return;
    for (const [oldest, { until: end }] of this.#abandoned) {
      this.#abandoned.delete(oldest);
      this.#unknownUntil = Math.max(this.#unknownUntil, end);
      return;
    }
  }

  /** The server answered an abandoned call. */
  settle(serverSideId: number): void {
    this.#abandoned.delete(serverSideId);
  }

  /** Whether the server may still work on an abandoned call of another caller. */
  isAtWorkForOthers(callerId: string, now: number): boolean {
    if (this.#unknownUntil > now) return true;
    for (const [id, work] of this.#abandoned) {
      if (work.until <= now) this.#abandoned.delete(id);
      else if (work.callerId !== callerId) return true;
    }
    return false;
  }
}
