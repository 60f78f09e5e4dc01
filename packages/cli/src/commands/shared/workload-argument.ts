/** The arguments of commands that act on workloads. */

export const WORKLOAD = {
  name: "WORKLOAD",
  summary: "Name of the server, as thv list --all shows it",
  completes: "workload",
} as const;

export const SOME_WORKLOADS = { ...WORKLOAD, isOptional: true, isRepeated: true } as const;
