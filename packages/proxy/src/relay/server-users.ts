/**
 * Whose work a server process has seen. On stdio nothing says for which client a server asks or tells something, so where
 * callers are told apart it depends on this who may get it. Without tokens all requests are of one caller, and a process is
 * never shared.
 */
import type { Limits } from "../options/limits.ts";

interface Abandoned {
  readonly callerId: string;
  readonly until: number;
}

/** Calls without a reader that are remembered; one that had to be forgotten counts as everybody's. */
const MAX_ABANDONED = 4096;

export class ServerUsers {
  readonly #limits: Pick<Limits, "abandonedWorkMs">;
  #first: string | undefined;
  #isShared = false;
  /** By the id towards the server. */
  readonly #abandoned = new Map<number, Abandoned>();
  /** Until when work of unknown callers may go on. */
  #unknownUntil = Number.NEGATIVE_INFINITY;

  constructor(limits: Pick<Limits, "abandonedWorkMs">) {
    this.#limits = limits;
  }

  /** A new process, which has seen nobody. */
  reset(): void {
    this.#first = undefined;
    this.#isShared = false;
    this.#abandoned.clear();
    this.#unknownUntil = Number.NEGATIVE_INFINITY;
  }

  /** The process has worked for callers of which nothing is known. */
  assumeOthers(now: number): void {
    this.#isShared = true;
    this.#unknownUntil = now + this.#limits.abandonedWorkMs;
  }

  /** The process gets something of a caller. */
  record(callerId: string): void {
    if (callerId === this.#first) return;
    if (this.#first === undefined) this.#first = callerId;
    else this.#isShared = true;
  }

  /** Whether the process has seen more than one caller. */
  get isShared(): boolean {
    return this.#isShared;
  }

  /** Whether everything that the process says may be this caller's to hear. */
  isSole(callerId: string): boolean {
    return !this.#isShared && (this.#first === undefined || this.#first === callerId);
  }

  /** A call was sent to the server and nobody waits for its answer any more. */
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

  /** The server answered although nobody waits. */
  settle(serverSideId: number): void {
    this.#abandoned.delete(serverSideId);
  }

  /** Whether the server may be at a call of somebody else that nobody waits for. */
  isAtWorkForOthers(callerId: string, now: number): boolean {
    if (this.#unknownUntil > now) return true;
    for (const [id, work] of this.#abandoned) {
      if (work.until <= now) this.#abandoned.delete(id);
      else if (work.callerId !== callerId) return true;
    }
    return false;
  }
}
