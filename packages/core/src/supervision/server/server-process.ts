/** One run of a workload's server: its container, its stdio, and its exit. */

import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { ContainerEngine, ContainerStdio } from "../../ports/container-engine.ts";
import { OutputSample } from "../../server-log/excerpt.ts";
import type { ServerLog } from "../../server-log/server-log.ts";
import type { StderrRecorder } from "../../server-log/stderr-recorder.ts";
import { waitForAbort } from "../../support/until-aborted.ts";

export class ServerProcess {
  readonly containerId: string;
  /** `undefined` for a server that speaks HTTP: the engine's events report its end. */
  readonly stdio: ContainerStdio | undefined;
  /** False while it is attached to and not running yet. */
  hasStarted = false;
  /** The package that a manager fetches when it starts; absent for an image. */
  packageTarget: string | undefined;
  /** Why the supervisor has ended it, a sentence. */
  endReason: string | undefined;
  readonly #gone = new AbortController();
  readonly #log: ServerLog | undefined;
  readonly #recorder: StderrRecorder | undefined;
  readonly #strays = new OutputSample();

  private constructor(
    containerId: string,
    { stdio, log }: { stdio?: ContainerStdio; log?: ServerLog | undefined } = {},
  ) {
    this.containerId = containerId;
    this.stdio = stdio;
    this.#log = log;
    if (stdio) this.#recorder = log?.record(stdio.stderr);
    if (!this.#recorder) stdio?.stderr.resume();
    void stdio?.closed.then(() => this.markGone());
  }

  /** Attaches to a container, running or about to be started. @param log Receives its standard error. */
  static async attach(
    engine: ContainerEngine,
    containerId: string,
    log: ServerLog | undefined,
  ): Promise<ServerProcess> {
    return new ServerProcess(containerId, { stdio: await engine.attach(containerId), log });
  }

  /** Creates a process that is reached over the network and not attached to. */
  static createUnattached(containerId: string): ServerProcess {
    return new ServerProcess(containerId);
  }

  /** Aborted once the attachment has ended or the engine has reported the end of the container. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Settles once it has exited, at the latest when the signal fires. */
  async untilGone(signal: AbortSignal): Promise<void> {
    await waitForAbort(AbortSignal.any([this.gone, signal]));
  }

  markGone(): void {
    this.#gone.abort();
  }

  /** A line of its standard output that is no message. */
  addStrayLine(text: string): void {
    this.#log?.addStray(text);
    this.#recorder?.sample.add(text);
    this.#strays.add(text);
  }

  /** Lines of its standard output that are no messages. */
  get strays(): OutputSample {
    return this.#strays;
  }

  /** What it has written so far, in small; `undefined` when only the engine has it. */
  get output(): OutputSample | undefined {
    return this.#recorder?.sample;
  }

  /** The same, once it has ended. */
  async wholeOutput(): Promise<OutputSample | undefined> {
    await this.#untilRead();
    return this.output;
  }

  async detach(): Promise<void> {
    await this.stdio?.close();
  }

  /** Detaches from one that has ended, after what it wrote last has arrived. */
  async finish(): Promise<void> {
    await this.#untilRead();
    await this.detach();
    await this.#log?.flush();
  }

  /** Resolves once its output has ended, or after three seconds: a child of the server may hold it open. */
  async #untilRead(): Promise<void> {
    if (!this.stdio) return;
    const { stdout, stderr } = this.stdio;
    const patience = new AbortController();
    await Promise.race([
      Promise.all([untilEnded(stderr), stdout.readableFlowing ? untilEnded(stdout) : undefined]),
      delay(OUTPUT_ENDS_WITHIN_MS, undefined, { signal: patience.signal, ref: false }).catch(() => undefined),
    ]);
    patience.abort();
  }
}

async function untilEnded(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return;
  await new Promise<void>((resolve) => {
    stream.once("end", () => resolve());
    stream.once("close", () => resolve());
  });
}

/** Milliseconds that the last output of a server that has ended may be on its way. */
const OUTPUT_ENDS_WITHIN_MS = 3_000;
