/** The sleep of one workload: its server is stopped when there are no calls, and started by the next one. */

import type { ContainerEngine } from "../../ports/container-engine.ts";
import { describeError, ThvError } from "../../support/errors.ts";
import { SleepGate } from "../server/sleep-gate.ts";
import type { ContainerRun } from "./container-run.ts";
import type { PlaceParts } from "./server-place.ts";

/** Seconds that a server has to end when it falls asleep; a call may already wait. */
const SLEEP_GRACE_SECONDS = 5;

interface ContainerSleepParts extends Pick<PlaceParts, "config" | "state" | "operations" | "endpoint" | "context"> {
  /** Milliseconds without a call. */
  readonly afterMs: number;
  readonly run: ContainerRun;
  /** Runs a start; a failure becomes the status. */
  readonly attempt: (signal: AbortSignal, run: (engine: ContainerEngine) => Promise<void>) => Promise<void>;
  /** Its server is about to be started for a call. */
  readonly onWake: () => void;
}

export class ContainerSleep {
  readonly #parts: ContainerSleepParts;
  readonly #gate: SleepGate;

  constructor(parts: ContainerSleepParts) {
    this.#parts = parts;
    this.#gate = new SleepGate({
      name: this.#name,
      onIdle: () => this.#fallAsleep(),
      onWanted: () => this.#wakeUp(),
    });
    parts.endpoint.guard(this.#gate);
  }

  /** Its status has changed: once its server runs, calls pass and idle time counts. */
  onStatus(): void {
    if (this.#parts.state.isUp) this.#gate.watch(this.#parts.afterMs);
  }

  /** Its server could not be started: calls that wait are answered with the reason. */
  refuse(error: unknown): void {
    const name = this.#name;
    const refusal = new ThvError(
      "SERVER_NOT_READY",
      `"${name}" slept and could not be started: ${describeError(error)}`,
      {
        hint: `Find the reason, then start it: thv status ${name}, thv restart ${name}`,
        cause: error,
      },
    );
    this.#gate.refuse(refusal);
  }

  /** One that slept under the supervisor before, or while the engine was away. @returns False when it has to be woken. */
  async stayAsleep(engine: ContainerEngine): Promise<boolean> {
    const { config, state, operations, endpoint, run, attempt } = this.#parts;
    const isAnyUp = await run.isAnyUp(engine);
    // Another operation may have begun during the call to the engine.
    if (operations.isWorking || !config.current.asleep) return true;
    if (state.isAsleep && !isAnyUp) return true;
    if (!this.#gate.hold()) return false;
    await operations.run("starting", async (signal) => {
      await attempt(signal, async () => {
        await endpoint.ensure();
        await this.#sleep(signal);
      });
    });
    return true;
  }

  get #name(): string {
    return this.#parts.config.current.name;
  }

  /** Stops the server until the next call. Its endpoint, and the sessions there, stay. */
  #fallAsleep(): void {
    const { config, state, operations, endpoint, afterMs, context } = this.#parts;
    const isQuiet = state.status === "running" && state.isUp && !operations.isWorking && !operations.isClosed;
    if (!isQuiet || endpoint.current?.hasSubscribers || !this.#gate.hold()) return;
    void operations.run("running", async (signal) => {
      try {
        await config.sleep();
      } catch (error) {
        // Without a word of it on disk the next supervisor would wake it: it stays awake until that can be written.
        context.log.warn({ workload: this.#name, reason: describeError(error) }, "server cannot fall asleep");
        this.#gate.watch(afterMs);
        return;
      }
      await this.#sleep(signal);
    });
  }

  async #sleep(signal: AbortSignal): Promise<void> {
    const { state, endpoint, run, attempt } = this.#parts;
    endpoint.disconnect("nobody has called for a while");
    await attempt(signal, async (engine) => {
      await run.stop(engine, { graceSeconds: SLEEP_GRACE_SECONDS });
      if (state.sleep(signal) && this.#gate.isWanted) this.#wakeUp();
    });
  }

  #wakeUp(): void {
    const { config, state, operations, run, attempt, onWake } = this.#parts;
    if (!state.isAsleep) return;
    onWake();
    void operations.run("starting", async (signal) => {
      await config.wake();
      await attempt(signal, async (engine) => await run.bringUp(engine, { isRestart: true, signal }));
    });
  }
}
