/** `thv group show`, and `thv status` of a group: everything about one group. */
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import { formatSeconds } from "@toolhive/core/duration";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { printTable } from "../../terminal/table.ts";
import type { FormatInput } from "../print-outcome.ts";
import { formatPlanRows, type PlanRow } from "../shared/plan-rows.ts";
import { awaitTakeOver } from "../shared/settle.ts";
import type { GROUP_SHOW } from "./definition.ts";
import { type GroupView, readGroup, reportWarnings } from "./group-offer.ts";

type WorkloadView = OperationAnswer<"listWorkloads">["workloads"][number];

export const showGroupByName: CommandHandler<typeof GROUP_SHOW> = async (input, context) => {
  const [name] = input.positionals;
  const client = await connectSupervisor(context);
  await awaitTakeOver(client, context);
  await showGroup(await readGroup(client, name), client, input, context);
};

export async function showGroup(
  group: GroupView,
  client: ApiClient,
  { format }: FormatInput,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context;
  const { workloads } = await client.call("listWorkloads", { query: { all: "true", group: group.name } });
  const members = await Promise.all(group.workloads.map((member) => describeMember(member, workloads, client)));
  if (format === "json") {
    terminal.printJson({ ...group, workloads: members });
    return;
  }
  terminal.print(formatPlanRows(listRows(group)));
  const rows = members.map((member) => [
    member.name,
    member.status,
    describeTools(member),
    member.sleep_after_seconds === undefined ? "-" : formatSeconds(member.sleep_after_seconds),
    member.image,
  ]);
  if (rows.length === 0) terminal.info(`It has no servers. Add one: thv group add ${group.name} SERVER`);
  else
    printTable(
      { header: ["SERVER", "STATUS", "TOOLS", "SLEEPS AFTER", "PACKAGE"], rows, spare: ["PACKAGE"] },
      terminal,
    );
  for (const { name, status, reason } of members)
    if (reason !== undefined && reason !== `it is ${status}`) terminal.info(`${name}: ${showLine(reason)}`);
  const sleepers = members.filter(({ sleep_after_seconds: seconds }) => seconds !== undefined);
  if (group.url !== undefined && sleepers.length > 0)
    terminal.info("No server sleeps while it is in a group with a URL: the group keeps a stream open at each of them.");
  reportWarnings(group, context);
}

async function describeMember(
  member: GroupView["workloads"][number],
  workloads: readonly WorkloadView[],
  client: ApiClient,
) {
  const { name } = member;
  const workload = workloads.find((each) => each.name === name);
  const request = await client.call("exportWorkload", { params: { name } }).catch(() => undefined);
  const seconds = request?.sleep_after_seconds ?? 0;
  return {
    ...member,
    status: workload?.asleep === true ? "asleep" : (workload?.status ?? member.state),
    url: workload?.url ?? "",
    image: workload?.package ?? "",
    ...(seconds > 0 && { sleep_after_seconds: seconds }),
  };
}

function describeTools({ tools, hidden_tools: hidden }: GroupView["workloads"][number]): string {
  if (tools === undefined) return "-";
  return hidden === undefined ? String(tools) : `${tools} of ${tools + hidden}`;
}

function listRows(group: GroupView): PlanRow[] {
  const { name, url = "", problem, naming = "", tools = [], tools_override: overrides = {}, find_tools: finds } = group;
  const renamed = Object.entries(overrides).map(([tool, { name: other }]) => (other ? `${tool} as ${other}` : tool));
  const count = group.workloads.reduce((sum, workload) => sum + (workload.tools ?? 0), 0);
  return [
    ["Name", name],
    ["URL", problem === undefined ? url : `${url} does not answer: ${problem}`],
    ["Naming", naming],
    ["Tools", url === "" ? "" : tools.length === 0 ? `all ${count}` : `${count} chosen: ${tools.join(", ")}`],
    ["Renamed", renamed.join(", ")],
    ["Search", finds === true ? "clients search tools with find_tool" : ""],
    ["Clients", group.registered_clients.join(", ") || "none is registered"],
  ];
}
