/** A workload whose configuration on disk cannot be read: it is shown, and can be removed. */
import { ThvError } from "../../support/errors.ts";
import type { DamagedRunConfig } from "../../workload/run-config-store.ts";
import type { Workload } from "../../workload/workload.ts";

export function describeDamaged({ name, path, reason }: DamagedRunConfig): Workload {
  const message = `its configuration ${path} cannot be read: ${reason}`;
  const hint = `Fix the file and restart the supervisor, or remove the workload: thv rm ${name}`;
  return {
    name,
    package: "",
    url: "",
    port: 0,
    toolType: "mcp",
    transportType: "stdio",
    status: "error",
    statusContext: message,
    error: { code: "STATE_CORRUPT", message, hint },
    createdAt: new Date(0),
  };
}

/** The error for every operation except removal. */
export function createDamagedError({ name, path, reason }: DamagedRunConfig): ThvError {
  return new ThvError("STATE_CORRUPT", `The configuration of "${name}" cannot be read: ${reason}`, {
    hint: `Fix ${path} and restart the supervisor, or remove the workload: thv rm ${name}`,
  });
}
