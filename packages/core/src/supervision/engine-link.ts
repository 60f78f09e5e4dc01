/** The supervisor's connection to a container engine: finds it, follows its events, and notices when it ends and returns. */

import type { ContainerEngine, ContainerEvent } from "../ports/container-engine.ts";
import type { Logger } from "../ports/log.ts";
import { computeBackoffMs, sleep } from "../support/backoff.ts";
import { describeError, ThvError } from "../support/errors.ts";
import { startTimeout } from "../support/timeout-signal.ts";

const RECONNECT = { firstMs: 250, maxMs: 5_000 };
/** Milliseconds for an engine to answer after its event stream has ended. */
const PING_MS = 5_000;

export interface EngineLinkOptions {
  /** Finds an engine that answers. @throws {ThvError} saying why there is none. */
  readonly discover: (signal: AbortSignal) => Promise<ContainerEngine>;
  /** Containers whose events matter. */
  readonly labels: Readonly<Record<string, string>>;
  readonly onUp: (engine: ContainerEngine) => Promise<void>;
  /** Called when the engine is lost, and when none is found at first. */
  readonly onDown: (reason: ThvError) => void;
  readonly onEvent: (event: ContainerEvent) => void;
  readonly log: Logger;
}

export class EngineLink {
  readonly #options: EngineLinkOptions;
  readonly #closing = new AbortController();
  #engine: ContainerEngine | undefined;
  /** Whether `onDown` was called since the last `onUp`. */
  #isDown = false;
  #attempt: Promise<ContainerEngine> | undefined;
  #wake: AbortController | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: EngineLinkOptions) {
    this.#options = options;
  }

  /** The connected engine, or `undefined` while there is none. */
  get engine(): ContainerEngine | undefined {
    return this.#engine;
  }

  /** Starts connecting. Resolves after the first attempt, successful or not. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#loop = this.#run(resolve);
    });
  }

  /** The engine; searches for one at once when there is none. @throws {ThvError} `ENGINE_UNREACHABLE`, `ENGINE_PERMISSION`. */
  async require(): Promise<ContainerEngine> {
    if (this.#engine) return this.#engine;
    const engine = await this.#discover();
    this.#wake?.abort();
    return engine;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#loop;
  }

  #discover(): Promise<ContainerEngine> {
    this.#attempt ??= this.#options.discover(this.#closing.signal).finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  async #run(onFirstAttempt: () => void): Promise<void> {
    const { signal } = this.#closing;
    let heard: Date | undefined;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        const engine = await this.#discover();
        // Where only the stream had ended, events since the last one are reported again: better twice than never.
        heard ??= new Date();
        const events = engine.watchEvents(this.#options.labels, { since: heard, signal });
        const isNew = this.#engine === undefined;
        this.#engine = engine;
        this.#isDown = false;
        if (isNew) this.#options.log.info({ ...engine.info }, "container engine connected");
        await this.#options.onUp(engine);
        onFirstAttempt();
        if (isNew) attempt = 0;
        try {
          for await (const event of events) {
            heard = new Date();
            attempt = 0;
            this.#options.onEvent(event);
          }
        } catch (error) {
          if (signal.aborted || !(await this.#answers(engine))) throw error;
          this.#options.log.warn(
            { reason: describeError(error) },
            "stream of container events ended, the engine answers",
          );
        }
      } catch (error) {
        if (signal.aborted) break;
        heard = undefined;
        this.#lose(error);
      }
      onFirstAttempt();
      await this.#pause(computeBackoffMs(Math.max(1, attempt), RECONNECT));
    }
    onFirstAttempt();
    this.#engine = undefined;
  }

  /** Podman ends every stream of events when the file that holds them has grown to its bound, 1 MB, and runs on. */
  async #answers(engine: ContainerEngine): Promise<boolean> {
    const signal = AbortSignal.any([this.#closing.signal, startTimeout(PING_MS)]);
    return await engine.ping({ signal }).then(
      () => true,
      () => false,
    );
  }

  #lose(error: unknown): void {
    const reason =
      error instanceof ThvError ? error : new ThvError("ENGINE_UNREACHABLE", describeError(error), { cause: error });
    if (this.#engine) this.#options.log.warn({ reason: reason.message }, "container engine lost");
    else this.#options.log.debug({ reason: reason.message }, "no container engine");
    this.#engine = undefined;
    if (!this.#isDown) this.#options.onDown(reason);
    this.#isDown = true;
  }

  /** Waits until the next attempt is due, or `require` has found an engine. */
  async #pause(ms: number): Promise<void> {
    this.#wake = new AbortController();
    try {
      await sleep(ms, AbortSignal.any([this.#wake.signal, this.#closing.signal]));
    } catch {
      // Woken or closing: the loop checks again.
    }
    this.#wake = undefined;
  }
}
