/** `thv status`: everything about one server. */

import { ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { connectIfNeeded } from "../../supervisor/connect.ts";
import { formatAge, formatLocalTime } from "../../terminal/time-words.ts";
import { listUsageRows } from "../../terminal/usage-words.ts";
import { showGroup } from "../group/show-group.ts";
import { findGroup } from "../shared/group-name.ts";
import { formatPlanRows, listPlanRows, type PlanRow } from "../shared/plan-rows.ts";
import { awaitTakeOver } from "../shared/settle.ts";
import { describeMissingTools } from "../tools/missing-tools.ts";
import { describeDetails, describeSignInProblem, readDetails } from "../workload-details.ts";
import type { STATUS } from "./definition.ts";

/** Characters of a container's id that engines print. */
const SHORT_ID_LENGTH = 12;

export const showStatus: CommandHandler<typeof STATUS> = async (input, context) => {
  const { terminal } = context;
  const [name] = input.positionals;
  const client = await connectIfNeeded(context);
  if (client === undefined) {
    throw new ThvError("WORKLOAD_NOT_FOUND", `There is no server "${name}".`, {
      hint: "See all servers: thv list --all",
    });
  }
  await awaitTakeOver(client, context);
  const group = await findGroup(client, name, context);
  if (group) return await showGroup(group, client, input, context);
  const details = await readDetails(client, name);
  if (input.format === "json") {
    terminal.printJson(describeDetails(details));
    return;
  }
  const { workload, plan, digests, containerId, clients, usage } = details;
  const { status, status_context: reason, url, created_at: createdAt } = workload;
  const rows: PlanRow[] = [
    ["Name", name],
    ["Status", reason ? `${status}: ${reason}` : status],
    ["Remedy", workload.error?.hint ?? ""],
    ["Sign-in", describeSignInProblem(details) ?? ""],
    [plan?.image_from === "remote" ? "Server" : "Image", plan?.image ?? ""],
    ["Digest", digests.join(", ")],
    ["Container", containerId?.slice(0, SHORT_ID_LENGTH) ?? ""],
    ...(plan ? listPlanRows(plan) : [["URL", url] as const]),
    ["Clients", clients.map(describeHolder).join(", ") || "none has its URL"],
    ...listUsageRows(usage),
    ["Created", describeCreation(createdAt, terminal)],
  ];
  terminal.print(formatPlanRows(rows));
  for (const warning of [...(plan?.warnings ?? []), ...(workload.tool_warnings ?? [])])
    terminal.info(`Warning: ${warning}`);
  if (workload.missing_tools !== undefined)
    terminal.info(`Warning: ${describeMissingTools(name, workload.missing_tools)}`);
};

/** On a terminal with how long ago, as `thv list` says it. Of a damaged server, it is not known. */
function describeCreation(timestamp: string, { isOutputTerminal }: CommandContext["terminal"]): string {
  if (Date.parse(timestamp) === 0) return "";
  const local = formatLocalTime(timestamp);
  return isOutputTerminal ? `${local}, ${formatAge(timestamp)}` : local;
}

/** The client's entry may be that of a group. */
function describeHolder({ name, group }: { readonly name: string; readonly group?: string }): string {
  return group === undefined ? name : `${name} (group ${group})`;
}
