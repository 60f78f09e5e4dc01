/** `thv mcp ping` */
import type { Client } from "@modelcontextprotocol/client";
import { startTimeout } from "@toolhive/core/timeout-signal";
import type { CommandHandler } from "../../command-line/command.ts";
import { connectFailure, connectMcp } from "../../mcp/connection.ts";
import { Progress } from "../../terminal/progress.ts";
import { printOutcome } from "../print-outcome.ts";
import type { MCP_PING } from "./definition.ts";
import { findServerAddress } from "./server-address.ts";

/** The first revision without sessions; it has no `ping`. */
const FIRST_MODERN_REVISION = "2026-07-28";

export const pingServer: CommandHandler<typeof MCP_PING> = async (input, context) => {
  const [server] = input.positionals;
  const url = await findServerAddress(server, "SERVER", context);
  const signal = AbortSignal.any([context.signal, startTimeout(input.timeout)]);
  try {
    using _progress = new Progress(context.terminal, `Asking ${server}`);
    await using connection = await connectMcp(url, signal);
    const { client } = connection;
    const ms = await measureRoundTrip(client, signal);
    const { name = "", version = "" } = client.getServerVersion() ?? {};
    const protocol = client.getNegotiatedProtocolVersion() ?? "";
    const outcome = { server: { name, version }, protocol_version: protocol, ms };
    printOutcome(input, context, outcome, `${server} answers: ${name} ${version}, protocol ${protocol}, ${ms} ms.`);
  } catch (error) {
    context.signal.throwIfAborted();
    throw connectFailure(url, error, signal);
  }
};

async function measureRoundTrip(client: Client, signal: AbortSignal): Promise<number> {
  const isModern = (client.getNegotiatedProtocolVersion() ?? "") >= FIRST_MODERN_REVISION;
  const startedAt = performance.now();
  await (isModern ? client.discover({ signal }) : client.ping({ signal }));
  return Math.round((performance.now() - startedAt) * 10) / 10;
}
