/** What the operations on several workloads do. */
import { assertWorkloadName, ThvError, type WorkloadSupervisor } from "@toolhive/core";
import type { BULK_OPERATIONS } from "../contract/workloads.ts";
import type { Handlers } from "./handlers.ts";

/** Why one workload of several is left out; the others are not held up by it. */
const LEFT_OUT = ["WORKLOAD_NOT_FOUND", "WORKLOAD_BUSY", "STATE_CORRUPT"];

export function bulkHandlers(workloads: WorkloadSupervisor): Pick<Handlers, keyof typeof BULK_OPERATIONS> {
  return {
    stopWorkloads: async ({ body }) => await forEach(body.names, (name) => workloads.stop(name)),
    restartWorkloads: async ({ body }) => await forEach(body.names, (name) => workloads.restart(name)),
    deleteWorkloads: async ({ body }) => await forEach(body.names, (name) => workloads.delete(name)),
  };
}

async function forEach(names: readonly string[], accept: (name: string) => Promise<unknown>): Promise<void> {
  const unique = [...new Set(names)];
  for (const name of unique) assertWorkloadName(name);
  await Promise.all(
    unique.map(async (name) => {
      try {
        await accept(name);
      } catch (error) {
        if (!(error instanceof ThvError) || !LEFT_OUT.includes(error.code)) throw error;
      }
    }),
  );
}
