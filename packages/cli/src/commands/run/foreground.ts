/** `thv run --foreground`: shows the server's output until it ends for good, or until Ctrl-C, which stops it. */
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { ApiClient } from "@toolhive/api/client";
import { hasCode, ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import type { Progress } from "../../terminal/progress.ts";
import { awaitStopped, explainFailure, findWorkload, type LiveOutput } from "../shared/await-status.ts";
import { uninterruptible } from "../shared/uninterruptible.ts";

/** Milliseconds before the output of a server is followed again that has not ended for good: its engine may be away. */
const PAUSE_MS = 100;

/** Milliseconds that the last lines of a start that failed have to arrive. */
const LAST_LINES_MS = 2_000;

/** The output of a server, shown from the beginning of its start. */
export class ForegroundOutput implements LiveOutput, Disposable {
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #lines = 0;
  #progress: Progress | undefined;

  constructor(client: ApiClient, name: string, context: CommandContext) {
    const signal = AbortSignal.any([context.signal, this.#stop.signal]);
    const show = (line: string) => {
      this.#lines += 1;
      if (this.#progress) this.#progress.print(line);
      else context.terminal.info(line);
    };
    this.#ended = showOutput(client, name, { signal, show });
    // Whoever waits for the end receives the failure.
    this.#ended.catch(() => undefined);
  }

  printAbove(progress: Progress | undefined): void {
    this.#progress = progress;
  }

  /** Until the server is stopped, removed or has failed for good. */
  async wait(): Promise<void> {
    await this.#ended;
  }

  /** @returns Whether there was any, once the last lines of a start that failed are shown. */
  async finish(): Promise<boolean> {
    await Promise.race([this.#ended.catch(() => undefined), delay(LAST_LINES_MS, undefined, { ref: false })]);
    this.#stop.abort();
    return this.#lines > 0;
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}

/** @throws {ThvError} `SERVER_EXITED` and others when the server ended by itself. */
export async function followOutput(
  client: ApiClient,
  name: string,
  output: ForegroundOutput,
  context: CommandContext,
): Promise<void> {
  const { terminal, signal } = context;
  terminal.info("Its output follows. Ctrl-C stops it.");
  await output.wait();
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    if (!isFirst) await showOutput(client, name, { signal, show: (line) => terminal.info(line) });
    if (signal.aborted) break;
    const workload = await findWorkload(client, name);
    if (!workload) throw new ThvError("WORKLOAD_NOT_FOUND", `"${name}" was removed.`);
    if (workload.status === "stopped") {
      terminal.info(`${name} was stopped.`);
      return;
    }
    if (workload.status === "error") throw explainFailure(workload);
    await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  await client.call("stopWorkload", { params: { name } });
  const workload = await awaitStopped({ client, name, context: uninterruptible(context) });
  if (workload && workload.status !== "stopped") throw explainFailure(workload);
  terminal.info(`${name} is stopped. Start it again: thv restart ${name}`);
}

interface Shown {
  readonly signal: AbortSignal;
  readonly show: (line: string) => void;
}

/** Until the server is stopped, removed or has failed for good. */
async function showOutput(client: ApiClient, name: string, { signal, show }: Shown): Promise<void> {
  try {
    const lines = await client.open("getWorkloadLogs", { params: { name }, query: { follow: "true" }, signal });
    for await (const line of createInterface({ input: lines })) show(line);
  } catch (error) {
    // The status reports the end of the output, whatever ended it.
    if (!signal.aborted && hasCode(error, "SUPERVISOR_UNREACHABLE")) throw error;
  }
}
