/** `thv mcp call` */
import { RpcFailure } from "@toolhive/api/mcp-access";
import { ThvError } from "@toolhive/core/errors";
import type { CommandHandler } from "../../command-line/command.ts";
import { connectFailure } from "../../mcp/connection.ts";
import { openMcp } from "../../mcp/open-mcp.ts";
import { Progress } from "../../terminal/progress.ts";
import { printOutcome } from "../print-outcome.ts";
import type { MCP_CALL } from "./definition.ts";
import { findServerAddress } from "./server-address.ts";
import { formatResult, type ToolResult } from "./tool-result.ts";

export const call: CommandHandler<typeof MCP_CALL> = async (input, context) => {
  const [server, tool] = input.positionals;
  const { timeout: timeoutMs } = input;
  const values = parseArguments(input.arguments);
  const url = await findServerAddress(server, "SERVER", context);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]);
  let result: ToolResult;
  try {
    using _progress = new Progress(context.terminal, `Calling ${tool} of ${server}`);
    await using session = await openMcp(url, { signal });
    result = (await session.call("tools/call", { name: tool, arguments: values })) as ToolResult;
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof RpcFailure) {
      throw new ThvError("CALL_FAILED", `${server} refused the call of ${tool}: ${error.message}`, {
        hint: `See its tools and their arguments: thv mcp list tools --server ${server} --format json`,
        cause: error,
      });
    }
    throw connectFailure(url, error, signal);
  }
  if (result.isError) {
    throw new ThvError("CALL_FAILED", `The tool ${tool} of ${server} reported an error: ${formatResult(result)}`, {
      hint: `Check the arguments: thv mcp list tools --server ${server} --format json`,
    });
  }
  printOutcome(input, context, result, formatResult(result));
};

/** @throws {ThvError} `INVALID_ARGUMENT`. */
function parseArguments(text: string): Record<string, unknown> {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    values = undefined;
  }
  if (typeof values === "object" && values !== null && !Array.isArray(values)) return { ...values };
  throw new ThvError("INVALID_ARGUMENT", `--arguments is not a JSON object: ${text.slice(0, 200)}`, {
    hint: `Put it in quotation marks, for example: --arguments '{"message": "hello"}'`,
  });
}
