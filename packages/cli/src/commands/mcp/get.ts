/** `thv mcp get` */
import type { CommandHandler } from "../../command-line/command.ts";
import { printOutcome } from "../print-outcome.ts";
import { askServer } from "./ask-server.ts";
import type { MCP_GET } from "./definition.ts";
import { formatResult, type ToolResult } from "./tool-result.ts";
import { parsePairs, readTexts } from "./typed-arguments.ts";

interface PromptResult {
  readonly messages: readonly {
    readonly role: string;
    readonly content: NonNullable<ToolResult["content"]>[number];
  }[];
}

export const getPrompt: CommandHandler<typeof MCP_GET> = async (input, context) => {
  const [server, prompt] = input.positionals;
  const values = readTexts(parsePairs(input.arg));
  const question = {
    server,
    timeoutMs: input.timeout,
    doing: `Getting ${prompt} of ${server}`,
    what: `the prompt ${prompt}`,
    hint: `See its prompts and their arguments: thv mcp list prompts --server ${server}`,
  };
  const result = (await askServer(question, context, (session) =>
    session.call("prompts/get", { name: prompt, arguments: values }),
  )) as PromptResult;
  const lines = result.messages.map(({ role, content }) => `${role}: ${formatResult({ content: [content] })}`);
  printOutcome(input, context, result, lines.length > 0 ? lines.join("\n") : "The answer is empty.");
};
