/** `thv mcp read` */
import type { CommandHandler } from "../../command-line/command.ts";
import { printOutcome } from "../print-outcome.ts";
import { askServer } from "./ask-server.ts";
import type { MCP_READ } from "./definition.ts";
import { formatResult, type ToolResult } from "./tool-result.ts";

interface ResourceContents {
  readonly contents: readonly NonNullable<NonNullable<ToolResult["content"]>[number]["resource"]>[];
}

export const readResource: CommandHandler<typeof MCP_READ> = async (input, context) => {
  const [server, uri] = input.positionals;
  const question = {
    server,
    timeoutMs: input.timeout,
    doing: `Reading ${uri} of ${server}`,
    what: `to read ${uri}`,
    hint: `See its resources: thv mcp list resources --server ${server}`,
  };
  const result = (await askServer(question, context, (session) =>
    session.call("resources/read", { uri }),
  )) as ResourceContents;
  const content = result.contents.map((resource) => ({ type: "resource", resource }));
  printOutcome(input, context, result, formatResult({ content }));
};
