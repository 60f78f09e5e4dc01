/** Clients that call a server all the time, and what they meet while something of the cluster fails. */
import { setTimeout as delay } from "node:timers/promises";
import { waitFor } from "@toolhive/testing";
import { McpCaller } from "./mcp-caller.ts";

/** Milliseconds between two calls of one client. */
const PAUSE_MS = 25;
/** Milliseconds for one call, after which its client gives it up. */
const PATIENCE_MS = 20_000;
/** Answers in a row that every client has to get before the server counts as served. */
const IN_A_ROW = 5;

/** What happened since the last mark. */
export interface LoadReport {
  readonly calls: number;
  readonly failed: number;
  /** Answers with another call's text. */
  readonly wrong: number;
  /** Sessions that a client had to open anew. */
  readonly sessionsLost: number;
  /** Seconds from the mark to the last failure's end: the first answer after it to the same client. 0 without a failure. */
  readonly recoverySeconds: number;
  /** Milliseconds of the slowest call that was answered. */
  readonly slowestMs: number;
  /** Texts of failures, digits left out, with their counts. */
  readonly errors: Readonly<Record<string, number>>;
}

interface Mark {
  readonly at: number;
  calls: number;
  failed: number;
  wrong: number;
  sessionsLost: number;
  recoveredAt: number;
  slowestMs: number;
  readonly errors: Map<string, number>;
}

export class SteadyLoad implements AsyncDisposable {
  readonly #url: URL;
  readonly #over = new AbortController();
  readonly #clients: Promise<void>[];
  /** Answers in a row, by client. */
  readonly #inARow: number[];
  #mark = createMark();

  /** @param url Of a server with the tool `echo`. @param clients Each with a session of its own. */
  constructor(url: URL, clients = 3) {
    this.#url = url;
    this.#inARow = Array.from({ length: clients }, () => 0);
    this.#clients = this.#inARow.map((_none, index) => this.#work(index));
  }

  /** From now on is reported. */
  mark(): void {
    this.#mark = createMark();
  }

  /** Until every client got some answers in a row, counted from now. */
  async untilServed(deadlineMs = 120_000): Promise<void> {
    this.#inARow.fill(0);
    await waitFor(() => this.#inARow.every((count) => count >= IN_A_ROW), {
      what: `every client of ${this.#url} to be served; so far: ${JSON.stringify(this.report())}`,
      deadlineMs,
    });
  }

  report(): LoadReport {
    const { at, recoveredAt, errors, calls, failed, wrong, sessionsLost, slowestMs } = this.#mark;
    return {
      calls,
      failed,
      wrong,
      sessionsLost,
      recoverySeconds: failed === 0 ? 0 : Number(((recoveredAt - at) / 1_000).toFixed(1)),
      slowestMs: Math.round(slowestMs),
      errors: Object.fromEntries(errors),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#clients);
  }

  async #work(index: number): Promise<void> {
    let caller: McpCaller | undefined;
    let hasFailed = false;
    for (let call = 0; !this.#over.signal.aborted; call += 1) {
      const mark = this.#mark;
      const text = `client ${index} call ${call}`;
      const begin = performance.now();
      mark.calls += 1;
      try {
        caller ??= await McpCaller.open(this.#url, undefined, PATIENCE_MS);
        const answer = await caller.call("echo", { text }, PATIENCE_MS);
        const now = performance.now();
        if (answer !== text) mark.wrong += 1;
        if (hasFailed) mark.recoveredAt = now;
        hasFailed = false;
        mark.slowestMs = Math.max(mark.slowestMs, now - begin);
        this.#inARow[index] = (this.#inARow[index] ?? 0) + 1;
      } catch (error) {
        if (this.#over.signal.aborted) break;
        mark.failed += 1;
        const said = describe(error);
        mark.errors.set(said, (mark.errors.get(said) ?? 0) + 1);
        this.#inARow[index] = 0;
        // A session survives one failure: only a client that fails twice begins anew.
        if (hasFailed && caller !== undefined) {
          await caller[Symbol.asyncDispose]().catch(() => undefined);
          caller = undefined;
          mark.sessionsLost += 1;
        }
        hasFailed = true;
      }
      await delay(PAUSE_MS, undefined, { signal: this.#over.signal }).catch(() => undefined);
    }
    await caller?.[Symbol.asyncDispose]().catch(() => undefined);
  }
}

function createMark(): Mark {
  const at = performance.now();
  return { at, calls: 0, failed: 0, wrong: 0, sessionsLost: 0, recoveredAt: at, slowestMs: 0, errors: new Map() };
}

/** Without what is another one each time. */
function describe(error: unknown): string {
  const { message = "", cause } = error as Error;
  const why = cause instanceof Error ? `: ${(cause as NodeJS.ErrnoException).code ?? cause.message}` : "";
  return `${message}${why}`.replaceAll(/\d+/g, "N").replaceAll(/\s+/g, " ").slice(0, 160);
}
