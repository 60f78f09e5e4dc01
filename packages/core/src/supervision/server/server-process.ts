/** One run of a workload's server: its container, its stdio, and its exit. */

import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { explainPackageFailure } from "../../images/package-failure.ts";
import type { Container, ContainerEngine, ContainerStdio } from "../../ports/container-engine.ts";
import type { ServerLog } from "../../server-log/server-log.ts";
import type { StderrRecorder } from "../../server-log/stderr-recorder.ts";
import { ThvError } from "../../support/errors.ts";
import { toOneLine } from "../../support/one-line.ts";

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
    const either = AbortSignal.any([this.gone, signal]);
    if (either.aborted) return;
    await new Promise<void>((resolve) => {
      either.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  markGone(): void {
    this.#gone.abort();
  }

  /** A line of its standard output that is no message. */
  addStrayLine(text: string): void {
    this.#log?.addStray(text);
    this.#recorder?.keepLastLine(text);
  }

  /** Its last lines, oldest first, once it has ended; `undefined` when only the engine has them. */
  async lastLines(): Promise<readonly string[] | undefined> {
    await this.#untilRead();
    return this.#recorder?.recentLines;
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

/** Lines of a server's log that go into the reason of its failure. */
const LAST_WORDS = 3;
/** The last lines, in which the failure of a package manager is searched for. */
const RECENT_LINES = 30;

/** Milliseconds between the end of an attachment and the moment the engine shows the container as exited, at most. */
const EXIT_SHOWN_WITHIN_MS = 2_000;
const EXIT_POLL_MS = 25;

/** The server runs, and the engine has ended the connection to it, as a daemon that restarts does. */
export class ServerCutOffError extends ThvError {
  constructor() {
    super("SERVER_EXITED", "The connection to the server's input and output was lost.");
  }
}

/** Says how the container ended; the detail holds its last lines. */
export async function describeExit(engine: ContainerEngine, server: ServerProcess): Promise<ThvError> {
  const { containerId } = server;
  const container = await findOnceExited(engine, containerId);
  if (!container) return new ThvError("SERVER_EXITED", "The server's container was removed.");
  if (container.state === "running") {
    return new ServerCutOffError();
  }
  if (server.endReason !== undefined) {
    const hint = "Give it more, or find what it does with it: thv run --memory, --pids-limit, and thv logs NAME";
    return new ThvError("SERVER_EXITED", server.endReason, { hint });
  }
  const recent = cleanLines((await server.lastLines()) ?? (await readLastLines(engine, containerId)));
  const failure = server.packageTarget && explainPackageFailure(server.packageTarget, recent);
  if (failure) return failure;
  const lines = recent.slice(-LAST_WORDS);
  return new ThvError("SERVER_EXITED", `The server exited with code ${container.exitCode ?? "unknown"}.`, {
    hint: "Check its arguments and environment variables: an MCP server keeps running until it is stopped.",
    ...(lines.length > 0 && { detail: `Its last output: ${lines.join(" / ").slice(0, 500)}` }),
  });
}

async function findOnceExited(engine: ContainerEngine, containerId: string): Promise<Container | undefined> {
  const deadline = Date.now() + EXIT_SHOWN_WITHIN_MS;
  for (;;) {
    const container = await engine.findContainer(containerId);
    if (container?.state !== "running" || Date.now() > deadline) return container;
    await delay(EXIT_POLL_MS);
  }
}

/** The lines end up on terminals, so control characters become spaces. */
function cleanLines(lines: readonly string[]): string[] {
  return lines.map(toOneLine).filter((line) => line !== "");
}

async function readLastLines(engine: ContainerEngine, containerId: string): Promise<string[]> {
  try {
    return (await engine.readLogs(containerId, { tail: RECENT_LINES })).map(({ text }) => text);
  } catch {
    // A container that is just being removed has no log any more; its exit is described without its last lines.
    return [];
  }
}
