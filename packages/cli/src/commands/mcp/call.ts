/** `thv mcp call` */
import { type McpSession, RpcFailure } from "@toolhive/api/mcp-access";
import { ThvError } from "@toolhive/core/errors";
import { findNearest } from "@toolhive/core/nearest";
import { isRecord, parseJson } from "@toolhive/http/values";
import type { CommandHandler } from "../../command-line/command.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { printOutcome } from "../print-outcome.ts";
import { askServer } from "./ask-server.ts";
import type { MCP_CALL } from "./definition.ts";
import { explainByNetwork } from "./network-refusals.ts";
import { formatResult, type ToolResult } from "./tool-result.ts";
import { parsePairs, typeArguments } from "./typed-arguments.ts";

export const call: CommandHandler<typeof MCP_CALL> = async (input, context) => {
  const [server, tool] = input.positionals;
  const values = parseArguments(input);
  const written = parsePairs(input.arg);
  const question = {
    server,
    timeoutMs: input.timeout,
    doing: `Calling ${tool} of ${server}`,
    what: `the call of ${tool}`,
    hint: `See its tools and their arguments: thv mcp list tools --server ${server} --format json`,
  };
  const startedAt = Date.now();
  const result = await askServer(question, context, async (session) => {
    const typed = written.size > 0 ? typeArguments(written, await findSchema(session, tool)) : {};
    try {
      return (await session.call("tools/call", { name: tool, arguments: { ...values, ...typed } })) as ToolResult;
    } catch (error) {
      throw error instanceof RpcFailure ? await withGuess(error, session, { server, tool }) : error;
    }
  });
  if (result.isError) {
    const failure = new ThvError(
      "CALL_FAILED",
      `The tool ${tool} of ${server} reported an error: ${formatResult(result)}`,
      { hint: `Check the arguments: thv mcp list tools --server ${server} --format json` },
    );
    throw await explainByNetwork(failure, server, startedAt, context);
  }
  printOutcome(input, context, result, formatResult(result));
};

/** Most often the server does not list the tool, because its name was mistyped. */
async function withGuess(
  error: RpcFailure,
  session: McpSession,
  { server, tool }: { readonly server: string; readonly tool: string },
): Promise<Error> {
  const listed = (await session.list("tools").catch(() => [])).map(({ name }) => String(name));
  if (listed.length === 0 || listed.includes(tool)) return error;
  const meant = findNearest(tool, listed);
  return new ThvError("CALL_FAILED", `${server} offers no tool "${showLine(tool.slice(0, 200))}".`, {
    hint:
      meant === undefined
        ? `See its tools: thv mcp list tools --server ${server}`
        : `Did you mean ${showLine(meant)}? See its tools: thv mcp list tools --server ${server}`,
    cause: error,
  });
}

/** @returns `undefined` for a tool that is not listed; the server reports the mistakes in its call. */
async function findSchema(session: McpSession, tool: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const found = (await session.list("tools")).find(({ name }) => name === tool)?.inputSchema;
  return typeof found === "object" && found !== null ? { ...found } : undefined;
}

/** @throws {ThvError} `USAGE`, `INVALID_ARGUMENT`. */
function parseArguments({
  json,
  arguments: old,
}: {
  readonly json: string | undefined;
  readonly arguments: string | undefined;
}): Record<string, unknown> {
  if (json !== undefined && old !== undefined)
    throw new ThvError("USAGE", "--json and --arguments are two names of the same: give one of them.");
  const text = json ?? old ?? "{}";
  const values = parseJson(text);
  if (isRecord(values)) return { ...values };
  const flag = old === undefined ? "--json" : "--arguments";
  throw new ThvError("INVALID_ARGUMENT", `${flag} is not a JSON object: ${text.slice(0, 200)}`, {
    hint: `Put it in quotation marks, for example: ${flag} '{"message": "hello"}'`,
  });
}
