/** What a server offers to its clients, asked as a client asks. */
import { BRAND } from "@toolhive/core/brand";
import { hasCode } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import type { CommandContext } from "../../command-line/command.ts";
import { findServerAddress } from "../mcp/server-address.ts";

/** Milliseconds for connecting and the list. */
const LIST_MS = 30_000;

export interface SeenTool {
  readonly name: string;
  readonly description?: string | undefined;
}

/** @param url The endpoint of its clients, so that the list is what clients see. @throws {ThvError} `SERVER_NOT_READY`, `UNAUTHENTICATED`. */
export async function askForTools(url: URL, context: CommandContext): Promise<readonly SeenTool[]> {
  const signal = AbortSignal.any([context.signal, startTimeout(LIST_MS)]);
  // `thv run` and others that seldom ask for tools start without the MCP client: it is a fifth of the processor time of their start.
  const { connectFailure, connectMcp } = await import("../../mcp/connection.ts");
  try {
    await using connection = await connectMcp(url, signal);
    if (connection.client.getServerCapabilities()?.tools === undefined) return [];
    // Also where clients find tools instead of listing them.
    return (await connection.client.listTools({ _meta: { [BRAND.allToolsMeta]: true } }, { signal })).tools;
  } catch (error) {
    context.signal.throwIfAborted();
    throw connectFailure(url, error, signal);
  }
}

/**
 * Requests the list through the proxy, which compares it with the pins.
 *
 * @param options.mustAnswer Whether a server that does not answer is an error; otherwise the command only prints a notice.
 * @throws {ThvError} As `askForTools`.
 */
export async function refreshTools(name: string, context: CommandContext, { mustAnswer = false } = {}): Promise<void> {
  try {
    await askForTools(await findServerAddress(name, "NAME", context), context);
  } catch (error) {
    if (mustAnswer || !hasCode(error, "SERVER_NOT_READY", "UNAUTHENTICATED")) throw error;
    context.terminal.info(`The server was not asked for its tools: ${error.message}`);
  }
}
