/** What clients do not see of a server that was just started, because tools were chosen for it. */
import type { ApiClient } from "@toolhive/api/client";
import type { CommandContext } from "../../command-line/command.ts";
import type { WorkloadView } from "../shared/await-status.ts";
import { reportMissing } from "./tools.ts";

/** Chosen names that the server does not have may be slips, and are known once it has listed its tools. */
export async function reportTools(
  client: ApiClient,
  workload: WorkloadView,
  context: CommandContext,
): Promise<WorkloadView> {
  const { name } = workload;
  const listed = await client.call("listWorkloadTools", { params: { name } }).catch(() => undefined);
  if (listed === undefined) return workload;
  const missing = listed.states.flatMap((tool) => (tool.state === "missing" ? [tool.name] : []));
  reportMissing(missing, listed.states, false, context);
  if (!listed.states.some(({ state }) => state === "offered"))
    context.terminal.info(`Warning: clients see no tool of ${name}. To offer all: thv tools allow ${name} --all`);
  return await client.call("getWorkload", { params: { name } });
}
