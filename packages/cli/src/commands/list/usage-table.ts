/** `thv list --usage` */
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import type { CommandContext } from "../../command-line/command.ts";
import { printTable } from "../../terminal/table.ts";
import { formatNumbers, formatTokens } from "../../terminal/usage-words.ts";
import type { WorkloadView } from "../shared/await-status.ts";

type Summary = OperationAnswer<"listUsage">["servers"][number];

/** Prints how the servers are used in the place of how they are reached. @param isJson Adds it to what is printed otherwise. */
export async function printUsage(
  workloads: readonly WorkloadView[],
  client: ApiClient | undefined,
  { terminal }: CommandContext,
  isJson: boolean,
): Promise<void> {
  const usage = await client?.call("listUsage");
  const byName = new Map(usage?.servers.map(({ name, ...summary }) => [name, summary]));
  if (isJson) {
    terminal.printJson(workloads.map((workload) => ({ ...workload, usage: byName.get(workload.name) ?? null })));
    return;
  }
  if (usage?.is_recorded === false) terminal.info("Calls are not counted. To count them: thv config set-usage on");
  const rows = workloads.map(({ name, status, asleep }) => {
    const summary = byName.get(name);
    return [name, asleep ? "asleep" : status, ...formatSummary(summary)];
  });
  const header = ["NAME", "STATUS", "CALLS", "FAILED", "P95", "LAST USED", "TOOLS", "UNUSED", "TOKENS", "CLIENTS"];
  printTable({ header, rows, cut: ["CLIENTS", "NAME"], spare: ["UNUSED", "TOOLS", "P95", "CLIENTS"] }, terminal);
}

function formatSummary(summary: Omit<Summary, "name"> | undefined): string[] {
  if (summary === undefined) return ["-", "-", "-", "-", "-", "-", "-", "-"];
  const { context, clients, unused_tools: unused } = summary;
  return [
    ...formatNumbers(summary),
    context === undefined ? "-" : String(context.tools),
    context === undefined ? "-" : String(unused),
    formatTokens(context?.tokens),
    clients.join(", ") || "-",
  ];
}
