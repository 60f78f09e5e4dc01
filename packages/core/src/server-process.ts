/** One run of a workload's server: its container, its stdio, and the moment it is gone. */
import type { ContainerEngine, ContainerStdio } from "./container-engine.ts";
import { ThvError } from "./errors.ts";

export class ServerProcess {
  readonly containerId: string;
  readonly stdio: ContainerStdio;
  readonly #gone = new AbortController();

  private constructor(containerId: string, stdio: ContainerStdio) {
    this.containerId = containerId;
    this.stdio = stdio;
    // What the server writes to stderr is kept by the engine; reading it here only keeps the stream moving.
    stdio.stderr.resume();
    void stdio.closed.then(() => this.markGone());
  }

  /** Attaches to a container, running or about to be started. */
  static async attach(engine: ContainerEngine, containerId: string): Promise<ServerProcess> {
    return new ServerProcess(containerId, await engine.attach(containerId));
  }

  /** Aborted once the attachment has ended or the engine has reported the end of the container. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  markGone(): void {
    this.#gone.abort();
  }

  async detach(): Promise<void> {
    await this.stdio.close();
  }
}

/** Lines of a server's log that go into the reason of its failure. */
const LAST_WORDS = 3;

/** Says how the container ended, with its last lines. */
export async function describeExit(engine: ContainerEngine, containerId: string): Promise<ThvError> {
  const container = await engine.findContainer(containerId);
  if (!container) return new ThvError("SERVER_EXITED", "The server's container was removed.");
  if (container.state === "running") {
    return new ThvError("SERVER_EXITED", "The connection to the server's input and output was lost.");
  }
  const lines = (await engine.readLogs(containerId, { tail: LAST_WORDS })).filter((line) => line.trim() !== "");
  const lastWords = lines.length > 0 ? ` Its last output: ${lines.join(" / ").slice(0, 500)}` : "";
  return new ThvError("SERVER_EXITED", `The server exited with code ${container.exitCode ?? "unknown"}.${lastWords}`, {
    hint: "Check its arguments and environment variables: an MCP server on stdio keeps running until its input ends.",
  });
}
