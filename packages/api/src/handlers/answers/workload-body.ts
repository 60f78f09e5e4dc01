/** A workload on the wire. */
import { formatPointer, type Workload } from "@toolhive/core";
import type { WorkloadBody } from "../../contract/parts/workload-schemas.ts";

/** Whether lists show it that were not asked for all: one that ran before the supervisor was started again is on its way. */
export function isListedByDefault({ status, isTakenOver }: Workload): boolean {
  return status === "running" || status === "unauthenticated" || isTakenOver === true;
}

export function workloadBody(workload: Workload): WorkloadBody {
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
    created_at: workload.createdAt.toISOString(),
    ...(workload.labels && { labels: { ...workload.labels } }),
  };
}
