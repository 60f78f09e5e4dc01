/** A workload on the wire. */
import { formatPointer, type GroupManager, type Workload } from "@toolhive/core";
import type { WorkloadBody } from "../../contract/parts/workload-schemas.ts";

/** Whether lists show it that were not asked for all: one that ran before the supervisor was started again is on its way. */
export function isListedByDefault({ status, isTakenOver }: Workload): boolean {
  return status === "running" || status === "unauthenticated" || isTakenOver === true;
}

/** The same of several, each with its groups. */
export function workloadBodies(workloads: readonly Workload[], groups: GroupManager): WorkloadBody[] {
  const all = groups.mapGroups();
  return workloads.map((workload) => workloadBody(workload, all.get(workload.name)));
}

/** @param groups That it is in. */
export function workloadBody(workload: Workload, groups: readonly string[] = []): WorkloadBody {
  const [group] = groups;
  return {
    name: workload.name,
    package: workload.package,
    ...(workload.isRemote && { remote: true as const }),
    url: workload.url,
    port: workload.port,
    tool_type: workload.toolType,
    transport_type: workload.transportType,
    status: workload.status,
    ...(workload.isAsleep && { asleep: true }),
    ...(workload.statusContext && { status_context: workload.statusContext }),
    ...(workload.error && {
      error: {
        code: workload.error.code,
        message: workload.error.message,
        ...(workload.error.hint && { hint: workload.error.hint }),
        ...(workload.error.problems?.length && {
          pointers: workload.error.problems.map(({ path }) => formatPointer(path)),
        }),
      },
    }),
    ...(workload.pull && {
      pull: workload.pull.map(({ id, state, currentBytes, totalBytes }) => ({
        id,
        state,
        current_bytes: currentBytes,
        total_bytes: totalBytes,
      })),
    }),
    ...(workload.warnings && { warnings: [...workload.warnings] }),
    ...(workload.toolDifferences !== undefined && { tool_differences: workload.toolDifferences }),
    ...(workload.missingTools && { missing_tools: [...workload.missingTools] }),
    ...(workload.toolWarnings && { tool_warnings: [...workload.toolWarnings] }),
    ...(workload.proxyMode && { proxy_mode: workload.proxyMode }),
    ...(workload.tools && { tools: [...workload.tools] }),
    ...(group !== undefined && { group, groups: [...groups] }),
    created_at: workload.createdAt.toISOString(),
    ...(workload.startedAt && { started_at: workload.startedAt.toISOString() }),
    ...(workload.labels && { labels: { ...workload.labels } }),
  };
}
