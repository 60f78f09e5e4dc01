/** `thv list` */
import { ThvError } from "@toolhive/core/errors";
import type { CommandHandler } from "../../command-line/command.ts";
import { connectIfNeeded } from "../../supervisor/connect.ts";
import { printTable } from "../../terminal/table.ts";
import { formatTime } from "../../terminal/time-words.ts";
import type { WorkloadView } from "../shared/await-status.ts";
import { parseLabels } from "../shared/flags/label-flag.ts";
import { awaitTakeOver } from "../shared/settle.ts";
import { describeMissingTools } from "../tools/missing-tools.ts";
import type { LIST } from "./definition.ts";
import { printUsage } from "./usage-table.ts";

/** Of a server whose configuration is damaged, little can be said. */
const UNKNOWN = "-";

export const list: CommandHandler<typeof LIST> = async (input, context) => {
  const wanted = parseLabels(input.label);
  const client = await connectIfNeeded(context);
  const label = wanted.map((pair) => pair.join("=")).join(",");
  const query = {
    ...(input.all && { all: "true" }),
    ...(label !== "" && { label }),
    ...(input.group && { group: input.group }),
  };
  if (client) await awaitTakeOver(client, context);
  const { workloads } = client ? await client.call("listWorkloads", { query }) : { workloads: [] };
  if (input.usage && input.format === "mcpservers") {
    throw new ThvError("USAGE", "--usage has no place in the settings of clients.", {
      hint: "Read it in a script: thv list --usage --format json",
    });
  }
  if (input.format === "json") {
    if (input.usage) await printUsage(workloads, client, context, true);
    else context.terminal.printJson(workloads);
    return;
  }
  if (input.format === "mcpservers") {
    const entries = workloads.map(({ name, url }) => [name, { type: transportAt(url), url }]);
    context.terminal.printJson({ mcpServers: Object.fromEntries(entries) });
    return;
  }
  if (workloads.length === 0 && wanted.length > 0) {
    context.terminal.info("No server has these labels.");
    return;
  }
  if (workloads.length === 0 && input.group !== undefined) {
    context.terminal.info(`No server of the group "${input.group}" is running. Put one into it: thv group add`);
    return;
  }
  if (workloads.length === 0) {
    context.terminal.info(
      input.all
        ? "There are no servers. Start one: thv run --name everything mcp/everything"
        : "Nothing is running. Start one: thv run --name everything mcp/everything, or see all: thv list --all",
    );
    return;
  }
  if (input.usage) {
    await printUsage(workloads, client, context, false);
    return;
  }
  const rows = workloads.map((workload) => formatRow(workload, (stamp) => formatTime(stamp, context.terminal)));
  const header = ["NAME", "PACKAGE", "STATUS", "URL", "PORT", "TOOL TYPE", "CREATED AT"];
  printTable({ header, rows, cut: "NAME", spare: ["TOOL TYPE", "CREATED AT", "PORT", "PACKAGE"] }, context.terminal);
  for (const workload of workloads) {
    const { name, status, status_context: reason, tool_differences: held, missing_tools: missing } = workload;
    if (reason && status !== "running") context.terminal.info(`${name}: ${reason}`);
    if (held !== undefined) {
      const tools = held === 1 ? "1 tool differs" : `${held} tools differ`;
      context.terminal.info(`${name}: ${tools} from what was pinned. See how: thv tools accept ${name}`);
    }
    if (missing !== undefined) context.terminal.info(describeMissingTools(name, missing));
    for (const warning of workload.tool_warnings ?? [])
      context.terminal.info(`${name}: ${warning} See: thv tools pin ${name} --check`);
  }
};

/** The cells of one server, in the order of the header. */
export function formatRow(workload: WorkloadView, formatStamp: (timestamp: string) => string): string[] {
  const { name, url, port, status, asleep, tool_type: toolType, created_at: createdAt } = workload;
  return [
    name,
    workload.package || UNKNOWN,
    asleep ? "asleep" : status,
    url || UNKNOWN,
    port === 0 ? UNKNOWN : String(port),
    toolType,
    Date.parse(createdAt) === 0 ? UNKNOWN : formatStamp(createdAt),
  ];
}

/** What a client has to speak at the address, which is not always what the server in the container speaks. */
function transportAt(url: string): "sse" | "streamable-http" {
  return new URL(url).pathname === "/sse" ? "sse" : "streamable-http";
}
