/** A workload's status as a state machine: the transitions are data, nothing else sets a status. */

/** Spec §4. */
export const WORKLOAD_STATUSES = [
  "running",
  "stopped",
  "error",
  "starting",
  "stopping",
  "unhealthy",
  "removing",
  "unknown",
] as const;

export type WorkloadStatus = (typeof WORKLOAD_STATUSES)[number];

/** From each status to those that may follow it. A workload begins as `starting`, or `stopped` when loaded from disk. */
export const STATUS_TRANSITIONS: Readonly<Record<WorkloadStatus, readonly WorkloadStatus[]>> = {
  starting: ["running", "unhealthy", "error", "stopping", "removing", "unknown"],
  running: ["starting", "unhealthy", "error", "stopping", "removing", "unknown"],
  unhealthy: ["starting", "running", "error", "stopping", "removing", "unknown"],
  stopping: ["stopped", "error", "removing", "unknown"],
  stopped: ["starting", "stopping", "removing"],
  error: ["starting", "stopping", "removing", "unknown"],
  removing: ["error"],
  unknown: ["starting", "running", "unhealthy", "stopped", "stopping", "error", "removing"],
};

export function canFollow(from: WorkloadStatus, to: WorkloadStatus): boolean {
  return from === to || STATUS_TRANSITIONS[from].includes(to);
}
