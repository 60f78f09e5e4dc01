/** One run of a workload's server: its container, its stdio, and the moment it is gone. */
import { setTimeout as delay } from "node:timers/promises";
import type { Container, ContainerEngine, ContainerStdio } from "./container-engine.ts";
import { ThvError } from "./errors.ts";
import { readServerOutput } from "./server-output.ts";

export class ServerProcess {
  readonly containerId: string;
  /** `undefined` for a server that speaks HTTP: its end is told by the engine's events. */
  readonly stdio: ContainerStdio | undefined;
  /** False while it is attached to and not running yet. */
  hasStarted = false;
  readonly #gone = new AbortController();

  private constructor(containerId: string, stdio: ContainerStdio | undefined) {
    this.containerId = containerId;
    this.stdio = stdio;
    // What the server writes to stderr is kept by the engine; reading it here only keeps the stream moving.
    stdio?.stderr.resume();
    void stdio?.closed.then(() => this.markGone());
  }

  /** Attaches to a container, running or about to be started. */
  static async attach(engine: ContainerEngine, containerId: string): Promise<ServerProcess> {
    return new ServerProcess(containerId, await engine.attach(containerId));
  }

  /** One that is reached over the network and not attached to. */
  static unattached(containerId: string): ServerProcess {
    return new ServerProcess(containerId, undefined);
  }

  /** Aborted once the attachment has ended or the engine has reported the end of the container. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Settles once it is gone, at the latest when the signal fires. */
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

  async detach(): Promise<void> {
    await this.stdio?.close();
  }
}

/** Lines of a server's log that go into the reason of its failure. */
const LAST_WORDS = 3;

/** Milliseconds between the end of an attachment and the moment the engine shows the container as exited, at most. */
const EXIT_SHOWN_WITHIN_MS = 2_000;
const EXIT_POLL_MS = 25;

/** Says how the container ended; the detail holds its last lines. */
export async function describeExit(engine: ContainerEngine, containerId: string): Promise<ThvError> {
  const container = await findOnceExited(engine, containerId);
  if (!container) return new ThvError("SERVER_EXITED", "The server's container was removed.");
  if (container.state === "running") {
    return new ThvError("SERVER_EXITED", "The connection to the server's input and output was lost.");
  }
  const lines = await lastLines(engine, containerId);
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

async function lastLines(engine: ContainerEngine, containerId: string): Promise<string[]> {
  try {
    const lines = await readServerOutput(engine, containerId, { tail: LAST_WORDS });
    // They end up on terminals: whatever could move a cursor or set a title becomes a space.
    return lines.map((line) => line.replace(/\p{Cc}+/gu, " ").trim()).filter((line) => line !== "");
  } catch {
    // A container that is just being removed has no log any more; its end is told without last words.
    return [];
  }
}
