/** A workload's status as a state machine: the transitions are data, nothing else sets a status. */
import { ThvError } from "../support/errors.ts";

/** Spec §4; the last is of later versions of the reference: a remote server asks for a sign-in that only a person can do. */
export const WORKLOAD_STATUSES = [
  "running",
  "stopped",
  "error",
  "starting",
  "stopping",
  "unhealthy",
  "removing",
  "unknown",
  "unauthenticated",
] as const;

export type WorkloadStatus = (typeof WORKLOAD_STATUSES)[number];

/** From each status to those that may follow it. A workload begins as `starting`, or `stopped` when loaded from disk. */
export const STATUS_TRANSITIONS: Readonly<Record<WorkloadStatus, readonly WorkloadStatus[]>> = {
  starting: ["running", "unhealthy", "unauthenticated", "error", "stopping", "removing", "unknown"],
  running: ["starting", "unhealthy", "unauthenticated", "error", "stopping", "removing", "unknown"],
  unhealthy: ["starting", "running", "unauthenticated", "error", "stopping", "removing", "unknown"],
  unauthenticated: ["starting", "running", "unhealthy", "error", "stopping", "removing"],
  stopping: ["stopped", "error", "removing", "unknown"],
  stopped: ["starting", "stopping", "removing"],
  error: ["starting", "stopping", "removing", "unknown"],
  removing: ["error"],
  unknown: ["starting", "running", "unhealthy", "stopped", "stopping", "error", "removing"],
};

export function canFollow(from: WorkloadStatus, to: WorkloadStatus): boolean {
  return from === to || STATUS_TRANSITIONS[from].includes(to);
}

/** For example `"fetch" is stopped`, without a full stop. */
export function describeStatus(name: string, status: string): string {
  if (status === "error") return `"${name}" has failed`;
  return status === "unknown" ? `The status of "${name}" is unknown` : `"${name}" is ${status}`;
}

/** @returns Why a workload in this status cannot be asked anything, with the command that changes it. */
export function createNotRunning(name: string, status: WorkloadStatus): ThvError {
  const remedy = status === "unauthenticated" ? `Sign in: thv auth login ${name}` : `Start it: thv restart ${name}`;
  return new ThvError("SERVER_NOT_READY", `${describeStatus(name, status)}.`, { hint: remedy });
}
