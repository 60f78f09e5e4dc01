/** `thv tools list --usage`: how often each tool was called, and how much of a model's context it takes. */
import type { CommandContext } from "../../command-line/command.ts";
import { printTable } from "../../terminal/table.ts";
import { describeUnused, formatNumbers, formatTokens } from "../../terminal/usage-words.ts";
import type { FormatInput } from "../print-outcome.ts";
import { connectTo } from "../shared/connect-to.ts";
import type { ToolOwner } from "./tool-owner.ts";

interface ListedTools {
  readonly chosen: boolean;
  readonly missing: readonly string[];
  readonly warnings: readonly unknown[];
  readonly tools: readonly { readonly name: string; readonly state: string }[];
}

/** @param listed What `--format json` prints without `--usage`. */
export async function printToolUsage(
  owner: ToolOwner,
  listed: ListedTools,
  { format }: FormatInput,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context;
  const client = await connectTo(owner.name, context);
  const usage = await client.call("getUsage", { params: { name: owner.name } });
  const byName = new Map(usage.tools.map(({ name, ...numbers }) => [name, numbers]));
  if (format === "json") {
    const tools = listed.tools.map((tool) => ({ ...tool, usage: byName.get(tool.name) ?? null }));
    terminal.printJson({ ...listed, tools });
    return;
  }
  const rows = listed.tools.map(({ name, state }) => {
    const numbers = byName.get(name) ?? { calls: 0, failures: 0 };
    return [name, state, ...formatNumbers(numbers), formatTokens(byName.get(name)?.context_tokens)];
  });
  printTable(
    { header: ["NAME", "STATE", "CALLS", "FAILED", "P95", "LAST USED", "TOKENS"], rows, cut: "NAME" },
    terminal,
  );
  const unused = describeUnused(owner.argument, usage);
  if (unused !== undefined) terminal.info(unused);
}
