/**
 * Stops servers without calls, and starts them at the next call: one loop for each MCPServer with `spec.idle`.
 *
 * Before a server is stopped, every one of its proxies has promised to hold calls. A proxy that does not promise, or does not
 * answer, keeps the server awake.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "@toolhive/core";
import {
  type IdleAnswer,
  type IdlePhase,
  KIND,
  MAX_SERVERS,
  MAX_WAIT_MS,
  type MCPServer,
  type Proxied,
} from "../../contract/index.ts";
import { type Part, readServerSpec } from "../../desired/index.ts";
import type { WorkloadSummary } from "../status/observation.ts";
import type { PodSummary } from "../status/pod-summary.ts";
import { askProxy } from "./ask-proxy.ts";

/** Milliseconds between two checks: while the server starts, and the most and the fewest while it runs. */
const STARTING_MS = 200;
const MAX_CHECK_MS = 30_000;
const MIN_CHECK_MS = 500;
/** Milliseconds after which a proxy that did not answer is asked again. */
const AGAIN_MS = 1_000;
/** Milliseconds after the first promise in which the server must be stopped; proxies hold calls for 10 s. */
const DECIDE_MS = 5_000;

/** What is known of one object, and what the watcher decides about it. */
export interface WatchedRecord<Owner extends Proxied = Proxied> {
  readonly key: string;
  readonly server: Owner;
  /** Of its proxies, in Base64. */
  readonly sessionKey: string;
  readonly owned: ReadonlyMap<Part, { readonly workload?: WorkloadSummary | undefined }>;
  readonly pods: ReadonlyMap<string, PodSummary & { readonly side: "server" | "proxy" }>;
  readonly isAsleep: boolean;
  isToSleep: boolean | undefined;
}

export interface IdleWatcherOptions {
  readonly log: Logger;
  /** Whether the object is still there. */
  readonly isKnown: (record: WatchedRecord) => boolean;
  /** The object is compared again: whether it sleeps has changed. */
  readonly changed: (record: WatchedRecord) => void;
  /** @returns Milliseconds of `spec.idle.after`. */
  readonly readAfterMs: (after: string) => number;
  readonly signal: AbortSignal;
}

/** One with `spec.idle`. */
type WatchedServer = WatchedRecord<MCPServer>;

interface Loop {
  /** Ends the wait for the next check. */
  nudge: AbortController;
  /** Addresses of the pods when the proxies were asked last. */
  asked: string;
}

export class IdleWatcher {
  readonly #options: IdleWatcherOptions;
  readonly #loops = new Map<WatchedServer, Loop>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: IdleWatcherOptions) {
    this.#options = options;
  }

  /** To be called when something of the server has changed. */
  follow(record: WatchedRecord): void {
    if (!this.#isFollowed(record) || this.#options.signal.aborted) return;
    const loop = this.#loops.get(record);
    if (loop !== undefined) {
      // A proxy that has just started does not know that its server sleeps, and a running one not where a new pod is.
      if (describePods(record) !== loop.asked) loop.nudge.abort();
      return;
    }
    const begun: Loop = { nudge: new AbortController(), asked: "" };
    this.#loops.set(record, begun);
    const running = this.#watch(record, begun).finally(() => {
      this.#loops.delete(record);
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  /** @returns When every loop has ended; the signal must have fired. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #watch(record: WatchedServer, loop: Loop): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted && this.#isFollowed(record)) {
      loop.nudge = new AbortController();
      const over = AbortSignal.any([signal, loop.nudge.signal]);
      const ms = record.isAsleep
        ? await this.#awaitCall(record, loop, over)
        : await this.#checkIdle(record, loop, over);
      if (!over.aborted) await delay(ms, undefined, { signal: over }).catch(() => undefined);
    }
  }

  /** While it runs. @returns Milliseconds until the next check. */
  async #checkIdle(record: WatchedServer, loop: Loop, signal: AbortSignal): Promise<number> {
    const { readAfterMs, log } = this.#options;
    const afterMs = readAfterMs(record.server.spec.idle?.after ?? "");
    if (!isServed(record)) return STARTING_MS;
    const answers = await this.#askAll(record, loop, "awake", { afterMs, waitMs: 0 }, signal);
    const idleForMs = Math.min(...answers.map((answer) => answer?.idleForMs ?? 0));
    if (answers.length === 0 || idleForMs < afterMs) return clampCheck(afterMs - idleForMs, answers);
    const begunAt = performance.now();
    const promises = await this.#askAll(record, loop, "ask", { afterMs, waitMs: 0 }, signal);
    const isLate = performance.now() - begunAt > DECIDE_MS;
    const isAgreed = promises.length > 0 && promises.every((answer) => answer?.isHolding && !answer.isWanted);
    // A proxy that agreed to hold calls lets them pass again with the next check.
    if (!isAgreed || isLate || signal.aborted || !isServed(record)) return MIN_CHECK_MS;
    log.info({ server: record.key, idleForMs }, "a server that nobody calls is stopped");
    this.#decide(record, true);
    return 0;
  }

  /** While it sleeps. @returns Milliseconds until the next request. */
  async #awaitCall(record: WatchedServer, loop: Loop, signal: AbortSignal): Promise<number> {
    const answered = new AbortController();
    const over = AbortSignal.any([signal, answered.signal]);
    const afterMs = 1;
    const addresses = listAddresses(record, "proxy");
    loop.asked = describePods(record);
    let isWanted = false;
    let silent = addresses.length === 0;
    await Promise.all(
      addresses.map(async (address) => {
        const question = { phase: "asleep" as const, afterMs, waitMs: MAX_WAIT_MS, servers: [] };
        const answer = await askProxy({ address, key: record.sessionKey }, question, over);
        if (over.aborted) return;
        if (answer === undefined) silent = true;
        // A client of one proxy does not wait for the others to answer.
        if (answer === undefined || answer.isWanted) answered.abort();
        isWanted ||= answer?.isWanted === true;
      }),
    );
    if (!isWanted) return silent ? AGAIN_MS : 0;
    this.#options.log.info({ server: record.key }, "a call starts a server");
    this.#decide(record, false);
    return 0;
  }

  #isFollowed(record: WatchedRecord): record is WatchedServer {
    const { server } = record;
    if (server.kind !== KIND || server.spec.idle === undefined) return false;
    return server.metadata.deletionTimestamp === undefined && this.#options.isKnown(record);
  }

  #decide(record: WatchedServer, isToSleep: boolean): void {
    record.isToSleep = isToSleep;
    this.#options.changed(record);
  }

  async #askAll(
    record: WatchedServer,
    loop: Loop,
    phase: IdlePhase,
    times: { readonly afterMs: number; readonly waitMs: number },
    signal: AbortSignal,
  ): Promise<(IdleAnswer | undefined)[]> {
    loop.asked = describePods(record);
    const key = record.sessionKey;
    const servers = readServerSpec(record.server).isStdio ? [] : listAddresses(record, "server").slice(0, MAX_SERVERS);
    const question = { phase, servers, ...times };
    const addresses = listAddresses(record, "proxy");
    return await Promise.all(addresses.map((address) => askProxy({ address, key }, question, signal)));
  }
}

/** Whether every wanted pod is ready, and no other one remains: a pod that ends would lose calls. The pods say first whether they are. */
function isServed(record: WatchedServer): boolean {
  const workload = record.owned.get("statefulSet")?.workload;
  if (workload === undefined) return false;
  const want = readServerSpec(record.server).replicas;
  const { isObserved, total, updated } = workload;
  const pods = [...record.pods.values()].filter(({ side }) => side === "server");
  if (pods.length !== want || pods.some(({ isReady, isEnding }) => !isReady || isEnding)) return false;
  return isObserved && workload.want === want && total === want && updated === want;
}

function listAddresses({ pods }: WatchedServer, of: "server" | "proxy"): string[] {
  return [...pods.values()]
    .flatMap(({ side, isEnding, address }) => (side === of && !isEnding && address ? [address] : []))
    .sort();
}

function describePods(record: WatchedServer): string {
  return `${listAddresses(record, "proxy").join()} ${listAddresses(record, "server").join()}`;
}

function clampCheck(ms: number, answers: readonly (IdleAnswer | undefined)[]): number {
  // The proxies hold calls until a check reports that their server is ready.
  if (answers.some((answer) => answer === undefined || answer.isHolding)) return MIN_CHECK_MS;
  return Math.min(MAX_CHECK_MS, Math.max(MIN_CHECK_MS, ms));
}

/** @param after As `spec.idle.after` has it: `10m`, `2h`. @returns Milliseconds. */
export function readAfterMs(after: string): number {
  return Number.parseInt(after, 10) * (after.endsWith("h") ? 3_600_000 : 60_000);
}
