/** A workload whose configuration on disk cannot be read: it is shown, and can be removed. */
import { ThvError } from "../../support/errors.ts";
import type { DamagedRunConfig } from "../../workload/run-config-store.ts";
import type { Workload } from "../../workload/workload.ts";

export function describeDamaged({ name, path, code, reason }: DamagedRunConfig): Workload {
  const isTooNew = code === "STATE_TOO_NEW";
  const message = isTooNew ? reason : `its configuration ${path} cannot be read: ${reason}`;
  const hint = isTooNew
    ? formatTooNewHint(name)
    : `Fix the file and restart the supervisor, or remove the workload: thv rm ${name}`;
  return {
    name,
    package: "",
    url: "",
    port: 0,
    toolType: "mcp",
    transportType: "stdio",
    status: "error",
    statusContext: message,
    error: { code, message, hint },
    createdAt: new Date(0),
  };
}

/** The error for every operation except removal. */
export function createDamagedError({ name, path, code, reason }: DamagedRunConfig): ThvError {
  if (code === "STATE_TOO_NEW") return new ThvError(code, reason, { hint: formatTooNewHint(name) });
  return new ThvError("STATE_CORRUPT", `The configuration of "${name}" cannot be read: ${reason}`, {
    hint: `Fix ${path} and restart the supervisor, or remove the workload: thv rm ${name}`,
  });
}

function formatTooNewHint(name: string): string {
  return `Install that newer thv again, or remove the workload: thv rm ${name}`;
}
