/**
 * The log of one workload's server: for stdio the server log of thv, for HTTP the engine's. Both can be followed over
 * restarts.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Listeners } from "@toolhive/http/listeners";
import type { Container, ContainerEngine, LogPosition } from "../../ports/container-engine.ts";
import type { Logger } from "../../ports/log.ts";
import type { FailedOutputs } from "../../server-log/failed-outputs.ts";
import type { OpenLogFile } from "../../server-log/log-file.ts";
import { type LogSelection, type StampedLine, selectLines } from "../../server-log/log-line.ts";
import { mergeLines } from "../../server-log/merge-lines.ts";
import { ServerLog } from "../../server-log/server-log.ts";
import { describeError } from "../../support/errors.ts";
import { startTimeout } from "../../support/timeout-signal.ts";
import type { RunConfig } from "../../workload/run-config.ts";

/** Milliseconds that the last lines of a server that has ended have to arrive. */
const LAST_LINES_WITHIN_MS = 1_000;
/** Milliseconds between two checks for the next run of a server. */
const NEXT_RUN_POLL_MS = 250;
/** Milliseconds that an engine has to hand over the log of a failed start. */
const READ_WITHIN_MS = 10_000;

/** Lines that are read of a failed start, before they are cut to what is kept. */
const MAX_FAILED_LINES = 20_000;

/** Lines of a build that are kept, the newest ones, and the characters of each. */
const MAX_BUILD_LINES = 1_000;
const MAX_BUILD_LINE_LENGTH = 2_000;

interface WorkloadLogsOptions {
  readonly openLogFile: OpenLogFile;
  readonly failedOutputs?: FailedOutputs | undefined;
  /** @throws {ThvError} `ENGINE_UNREACHABLE`, `ENGINE_PERMISSION`. */
  readonly requireEngine: () => Promise<ContainerEngine>;
  readonly findContainer: (engine: ContainerEngine) => Promise<Container | undefined>;
  /** Denials of the workload's sidecar, oldest first. */
  readonly readDenials: (engine: ContainerEngine) => Promise<StampedLine[]>;
  /** Whether no run of the server follows until a user starts it again. */
  readonly isOver: () => boolean;
  readonly log: Logger;
}

export class WorkloadLogs {
  readonly #name: string;
  readonly #options: WorkloadLogsOptions;
  readonly #serverLog: ServerLog | undefined;
  /** Each function checks whether its follower has reached the end. */
  readonly #onChange = new Listeners();
  /** What the build of its image printed, oldest first; empty once the server has run. */
  readonly #buildLines: StampedLine[] = [];
  /** Lines of the build so far, those counted that are no longer kept. */
  #buildCount = 0;
  /** Whether the build has made the image, so that its output explains no failure. */
  #isBuilt = false;
  #hasRun = false;

  constructor({ name, transport }: Pick<RunConfig, "name" | "transport">, options: WorkloadLogsOptions) {
    this.#name = name;
    this.#options = options;
    if (transport !== "stdio") return;
    this.#serverLog = new ServerLog({ workload: name, file: options.openLogFile(name), log: options.log });
  }

  /** Receives the standard error of a server on stdio; `undefined` where the engine keeps the log. */
  get serverLog(): ServerLog | undefined {
    return this.#serverLog;
  }

  /** The status of the workload has changed. */
  notifyChange(): void {
    this.#onChange.notify();
  }

  /** One line of the build of its image, which explains a start that fails. */
  noteBuildOutput(line: string): void {
    if (this.#hasRun) return;
    if (this.#isBuilt) this.#buildLines.length = 0;
    this.#isBuilt = false;
    this.#buildLines.push({ at: Date.now(), text: line.slice(0, MAX_BUILD_LINE_LENGTH) });
    this.#buildCount += 1;
    if (this.#buildLines.length > MAX_BUILD_LINES) this.#buildLines.shift();
  }

  /** The image is there: a start that fails from now on is explained by the server's output alone. Followers get the rest of the build's. */
  noteBuilt(): void {
    this.#isBuilt = true;
  }

  /** Oldest first; denials of the sidecar are last, because they explain the rest. */
  async read(selection: LogSelection, signal: AbortSignal): Promise<StampedLine[]> {
    const lines = this.#serverLog ? await this.#serverLog.read(selection) : await this.#readEngine(selection, signal);
    const built = this.#isBuilt ? [] : selectLines(this.#buildLines, selection);
    return selectLines([...built, ...lines, ...(await this.#readDenials(selection))], { tail: selection.tail });
  }

  /** The selected lines and later ones, until the signal fires or `isOver`. */
  async follow(selection: LogSelection, signal: AbortSignal): Promise<AsyncIterable<StampedLine>> {
    if (!this.#serverLog) await this.#options.requireEngine();
    return this.#follow(selection, signal);
  }

  /**
   * Keeps all of it for a while after the workload is gone, unless it has run: results of tools could be in what it wrote then.
   * A failure must not block the removal.
   *
   * @param reason A sentence.
   */
  async keepFailed(reason: string): Promise<void> {
    const { failedOutputs, log } = this.#options;
    if (!failedOutputs || this.#hasRun) return;
    try {
      const lines = await this.read({ tail: MAX_FAILED_LINES }, startTimeout(READ_WITHIN_MS));
      await failedOutputs.keep(this.#name, { at: new Date(), reason, lines });
    } catch (error) {
      log.warn({ workload: this.#name, reason: describeError(error) }, "output of a failed start could not be kept");
    }
  }

  /** It runs: deletes what is kept of an earlier start that failed. */
  async noteRun(): Promise<void> {
    if (this.#hasRun) return;
    this.#hasRun = true;
    this.#buildLines.length = 0;
    await this.forgetFailed();
  }

  /** Deletes what is kept of an earlier start that failed. A failure must not block the removal. */
  async forgetFailed(): Promise<void> {
    try {
      await this.#options.failedOutputs?.forget(this.#name);
    } catch (error) {
      const reason = describeError(error);
      this.#options.log.warn({ workload: this.#name, reason }, "output of a failed start could not be removed");
    }
  }

  /** Deletes the kept log. A failure must not block the removal of the workload. */
  async remove(): Promise<void> {
    try {
      await this.#serverLog?.remove();
    } catch (error) {
      this.#options.log.warn(
        { workload: this.#name, reason: describeError(error) },
        "server's log could not be removed",
      );
    }
  }

  async *#follow(selection: LogSelection, signal: AbortSignal): AsyncGenerator<StampedLine> {
    const over = new AbortController();
    const check = () => {
      if (this.#options.isOver()) over.abort();
    };
    const leave = this.#onChange.add(check);
    check();
    const ends = { signal, over: over.signal };
    const left = new AbortController();
    const server = this.#serverLog ? this.#serverLog.follow(selection, ends) : this.#followEngine(selection, ends);
    try {
      if (this.#hasRun) yield* server;
      else {
        const ended = AbortSignal.any([signal, over.signal, left.signal]);
        yield* mergeLines(server, this.#followBuild(selection, ended));
      }
    } finally {
      left.abort();
      leave();
    }
  }

  /** What the build of its image prints, until the server has run. */
  async *#followBuild(selection: LogSelection, ended: AbortSignal): AsyncGenerator<StampedLine> {
    let seen = this.#buildCount;
    yield* selectLines(this.#buildLines, selection);
    while (!this.#hasRun) {
      const fresh = this.#buildCount - seen;
      seen = this.#buildCount;
      yield* this.#buildLines.slice(Math.max(0, this.#buildLines.length - fresh));
      if (ended.aborted) return;
      await delay(NEXT_RUN_POLL_MS, undefined, { signal: ended }).catch(() => undefined);
    }
  }

  async #readEngine({ tail, since }: LogSelection, signal: AbortSignal): Promise<StampedLine[]> {
    const engine = await this.#options.requireEngine();
    const container = await this.#options.findContainer(engine);
    if (!container) return [];
    return await engine.readLogs(container.id, { tail, since: parseDate(since), isStamped: true, signal });
  }

  async *#followEngine(
    { tail, since }: LogSelection,
    { signal, over }: { readonly signal: AbortSignal; readonly over: AbortSignal },
  ): AsyncGenerator<StampedLine> {
    /** The run whose lines were read last, and the position in its container's log. */
    let last: { readonly key: string; readonly id: string; readonly position: LogPosition } | undefined;
    for (;;) {
      const run = await this.#findRun();
      if (run && run.key !== last?.key) {
        // The log continues with the next run, and a reader of one run may get lines of the next. Engines report the time of a
        // start too late, or in whole seconds, so a reader remembers its position instead.
        const position = run.id === last?.id ? last.position : { count: 0 };
        const options = {
          tail: last === undefined ? tail : Number.POSITIVE_INFINITY,
          since: parseDate(since),
          position,
        };
        last = { ...run, position };
        yield* this.#followRun(run, options, { signal, over });
      }
      if (signal.aborted || over.aborted) return;
      await delay(NEXT_RUN_POLL_MS, undefined, { signal: AbortSignal.any([signal, over]) }).catch(() => undefined);
    }
  }

  async #findRun() {
    try {
      const engine = await this.#options.requireEngine();
      const container = await this.#options.findContainer(engine);
      if (!container) return undefined;
      return {
        engine,
        id: container.id,
        key: `${container.id} ${container.startedAt?.getTime()}`,
      };
    } catch (error) {
      // The engine is away; the server may return with it.
      this.#options.log.debug(
        { workload: this.#name, reason: describeError(error) },
        "container could not be looked at",
      );
      return undefined;
    }
  }

  async *#followRun(
    { engine, id }: { readonly engine: ContainerEngine; readonly id: string },
    options: { readonly tail: number; readonly since: Date | undefined; readonly position: LogPosition },
    { signal, over }: { readonly signal: AbortSignal; readonly over: AbortSignal },
  ): AsyncGenerator<StampedLine> {
    const leave = new AbortController();
    // The engine ends it by itself; otherwise it is ended here.
    const leaveSoon = () => void delay(LAST_LINES_WITHIN_MS, undefined, { ref: false }).then(() => leave.abort());
    over.addEventListener("abort", leaveSoon, { once: true });
    if (over.aborted) leaveSoon();
    try {
      yield* engine.followLogs(id, { ...options, isStamped: true, signal: AbortSignal.any([signal, leave.signal]) });
    } catch (error) {
      // The engine went away, or the container with its log.
      this.#options.log.debug({ workload: this.#name, reason: describeError(error) }, "log could not be followed");
    } finally {
      over.removeEventListener("abort", leaveSoon);
    }
  }

  async #readDenials({ since }: LogSelection): Promise<StampedLine[]> {
    try {
      const denials = await this.#options.readDenials(await this.#options.requireEngine());
      // Podman counts in seconds.
      const from = since === undefined ? undefined : Math.floor(since / 1_000) * 1_000;
      return selectLines(denials, { tail: Infinity, since: from });
    } catch (error) {
      if (!this.#serverLog) throw error;
      // What the server wrote is here, also without the engine.
      return [];
    }
  }
}

function parseDate(at: number | undefined): Date | undefined {
  return at === undefined ? undefined : new Date(at);
}
