/** The arguments of commands that act on workloads. */

export const WORKLOAD = {
  name: "NAME",
  summary: "Name of the server, as thv list --all shows it",
  completes: "workload",
} as const;

/** For commands that take the name of a group, too. */
export const WORKLOAD_OR_GROUP = {
  ...WORKLOAD,
  summary: "Name of the server, as thv list --all shows it, or of a group",
  completes: "workload-or-group",
} as const;

export const SOME_WORKLOADS = { ...WORKLOAD, isOptional: true, isRepeated: true } as const;
