/** One question to a server that a command names, within its time limit. */
import { type McpSession, RpcFailure } from "@toolhive/api/mcp-access";
import { hasCode, ThvError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import type { CommandContext } from "../../command-line/command.ts";
import { connectFailure } from "../../mcp/connection.ts";
import { openMcp } from "../../mcp/open-mcp.ts";
import { Progress } from "../../terminal/progress.ts";
import { explainByNetwork } from "./network-refusals.ts";
import { findServerAddress } from "./server-address.ts";

interface ServerQuestion {
  /** Name of a workload, or an address. */
  readonly server: string;
  readonly timeoutMs: number;
  /** Shown during the request: `Calling echo of everything`. */
  readonly doing: string;
  /** What the server may refuse: `the call of echo`. */
  readonly what: string;
  /** What to do when it refuses. */
  readonly hint: string;
}

/** @throws {ThvError} `CALL_FAILED` when the server refuses; and what finding and connecting to it fail with. */
export async function askServer<T>(
  { server, timeoutMs, doing, what, hint }: ServerQuestion,
  context: CommandContext,
  ask: (session: McpSession) => Promise<T>,
): Promise<T> {
  const url = await findServerAddress(server, "SERVER", context);
  const startedAt = Date.now();
  const signal = AbortSignal.any([context.signal, startTimeout(timeoutMs)]);
  try {
    using _progress = new Progress(context.terminal, doing);
    await using session = await openMcp(url, { signal });
    return await ask(session);
  } catch (error) {
    context.signal.throwIfAborted();
    if (hasCode(error, "CALL_FAILED")) throw error;
    if (error instanceof RpcFailure) {
      const refusal = new ThvError("CALL_FAILED", `${server} refused ${what}: ${error.message}`, {
        hint,
        cause: error,
      });
      throw await explainByNetwork(refusal, server, startedAt, context);
    }
    throw connectFailure(url, error, signal);
  }
}
