/** Waits for the first answer of a server that was started. */

import type { ContainerEngine } from "../../ports/container-engine.ts";
import type { McpEndpoint } from "../../ports/mcp-endpoint.ts";
import { sleep } from "../../support/backoff.ts";
import { READY_TIMEOUT_MS } from "../../support/supervision-limits.ts";
import { startTimeout } from "../../support/timeout-signal.ts";
import { describeExit } from "./describe-exit.ts";
import type { ServerProcess } from "./server-process.ts";

/** Milliseconds between two probes of an HTTP server that does not listen yet. */
const HTTP_PROBE_INTERVAL_MS = 100;

/** @returns False when it runs and has not answered in time. @throws {ThvError} `SERVER_EXITED`. */
export async function untilAnswered(
  engine: ContainerEngine,
  endpoint: McpEndpoint,
  server: ServerProcess,
  signal: AbortSignal,
): Promise<boolean> {
  const timeout = startTimeout(READY_TIMEOUT_MS);
  try {
    await probeUntilAnswered(endpoint, server, AbortSignal.any([signal, server.gone, timeout]));
  } catch {
    signal.throwIfAborted();
    // Its output has ended; its exit follows within a moment.
    if (!timeout.aborted) await server.untilGone(AbortSignal.any([signal, timeout]));
    signal.throwIfAborted();
    if (!server.gone.aborted) return false;
  }
  signal.throwIfAborted();
  if (server.gone.aborted) throw await describeExit(engine, server);
  return true;
}

/** On stdio a message waits in the pipe until the server reads it; over HTTP it is refused until the server listens. */
async function probeUntilAnswered(endpoint: McpEndpoint, server: ServerProcess, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await endpoint.probe(signal);
      return;
    } catch (error) {
      if (server.stdio || signal.aborted) throw error;
      await sleep(HTTP_PROBE_INTERVAL_MS, signal);
    }
  }
}
