/** Measures what a fault costs one client that keeps calling: how its calls end, and how long it gets no answer. */
import { setTimeout as delay } from "node:timers/promises";
import { waitFor } from "@toolhive/testing";
import { type Outcome, SessionClient } from "./session-client.ts";
import { SteadyLoad } from "./steady-load.ts";

const CALLERS = 3;
/** Calls that the server would answer in an hour, so that only an error can end them. */
const LONG_CALLS = 4;
const LONG_CALL_MS = 3_600_000;

/** Milliseconds for a long call to end after all callers are answered again: an engine's own helper may end later than its daemon. */
const LATE_END_MS = 3_000;

/** `kept`: the call is still in flight a moment after all callers are answered again. */
type Fate = Outcome["kind"] | "kept";

export interface FaultCost {
  /** How the calls ended that were in flight when the fault began; without it, each would take an hour. */
  readonly inFlight: readonly Fate[];
  /** Milliseconds from the fault until the last of those had ended; `undefined` when all were kept. */
  readonly inFlightMs: number | undefined;
  /** Short calls by how they ended, from the fault until every caller was answered again. */
  readonly calls: Readonly<Record<Outcome["kind"], number>>;
  /** Milliseconds from the fault until every caller had an answer again. */
  readonly answeredMs: number;
  readonly sessionsOpened: number;
}

/** A client with a session, a steady load and long calls in flight, for one fault. */
export class FaultMeasurement implements AsyncDisposable {
  readonly #client: SessionClient;
  readonly #load: SteadyLoad;
  readonly #longCalls: readonly Promise<Outcome>[];

  private constructor(client: SessionClient, load: SteadyLoad, longCalls: readonly Promise<Outcome>[]) {
    this.#client = client;
    this.#load = load;
    this.#longCalls = longCalls;
  }

  /** @param url The workload's, as `thv run` prints it. */
  static async start(url: string): Promise<FaultMeasurement> {
    const client = await SessionClient.open(url);
    const longCalls = Array.from({ length: LONG_CALLS }, () => client.call("sleep", { ms: LONG_CALL_MS }));
    await waitFor(async () => (await countPending(url)) >= LONG_CALLS, { what: "the long calls to be in flight" });
    const load = new SteadyLoad(client, { url, callers: CALLERS });
    await load.untilEachIsAnswered(3);
    return new FaultMeasurement(client, load, longCalls);
  }

  /** Makes the server end in the middle of a call. */
  async crash(): Promise<void> {
    await this.#client.call("crash", { code: 7 });
  }

  /**
   * Counts from now on. Resolves when every caller is answered again.
   *
   * @param fault Resolves when the fault is over: an earlier answer does not show that the server came back.
   */
  async measure(fault: Promise<unknown>): Promise<FaultCost> {
    const begin = performance.now();
    const before = this.#load.outcomes.length;
    const ended: { kind: Outcome["kind"]; ms: number }[] = [];
    for (const call of this.#longCalls) {
      void call.then(({ kind }) => ended.push({ kind, ms: Math.round(performance.now() - begin) }));
    }
    await fault;
    await this.#load.untilEachIsAnswered(1);
    const answeredMs = Math.round(performance.now() - begin);
    const short = this.#load.outcomes.slice(before);
    await Promise.race([Promise.all(this.#longCalls), delay(LATE_END_MS, undefined, { ref: false })]);
    const count = (kind: Outcome["kind"]) => short.filter((outcome) => outcome.kind === kind).length;
    return {
      inFlight: this.#longCalls.map((_, index) => ended[index]?.kind ?? "kept"),
      inFlightMs: ended.length === 0 ? undefined : Math.max(...ended.map(({ ms }) => ms)),
      calls: {
        answered: count("answered"),
        refused: count("refused"),
        "unknown-session": count("unknown-session"),
        disconnected: count("disconnected"),
        hung: count("hung"),
      },
      answeredMs,
      sessionsOpened: this.#client.sessionsOpened,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#load[Symbol.asyncDispose]();
  }
}

async function countPending(url: string): Promise<number> {
  const health = (await (await fetch(new URL("/health", url))).json()) as { counts: { pendingRequests: number } };
  return health.counts.pendingRequests;
}
