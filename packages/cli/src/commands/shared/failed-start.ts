/** A new server that did not start: gives the reason, and removes everything of it. */
import type { ApiClient } from "@toolhive/api/client";
import { withoutAskedAgain } from "@toolhive/core/asked-again";
import { hasCode, ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import { awaitStatus, explainFailure, type WorkloadView } from "./await-status.ts";
import { uninterruptible } from "./uninterruptible.ts";

/** Seconds that a server which is given up on has to end by itself. */
const ROLL_BACK_SECONDS = "5";

const ENDS: ReadonlySet<string> = new Set(["running", "unhealthy", "unauthenticated", "error", "unknown"]);

/** Whether a start has ended, with or without success. */
export function isStartOver(workload: WorkloadView | undefined): boolean {
  return !workload || ENDS.has(workload.status);
}

/** Of a workload that was created, and is removed because of it. */
export function describeFailedStart(workload: WorkloadView): ThvError {
  if (workload.remote) return describeUnreached(workload);
  if (workload.status === "unhealthy") return describeUnready(workload);
  return withTransportHint(explainFailure(workload), workload);
}

interface RollBackOptions {
  /** When several are removed at a time. Default false. */
  readonly isQuiet?: boolean;
  /** Whether `thv logs` still shows what it wrote. Default false. */
  readonly keepsLog?: boolean;
}

/** Removes the new workload; not interrupted by a second Ctrl-C of the same signal. */
export async function rollBackStart(
  client: ApiClient,
  name: string,
  context: CommandContext,
  { isQuiet = false, keepsLog = false }: RollBackOptions = {},
): Promise<void> {
  const query = { timeout: ROLL_BACK_SECONDS, ...(keepsLog && { keep_log: "true" }) };
  try {
    await client.call("deleteWorkload", { params: { name }, query });
  } catch (error) {
    if (hasCode(error, "WORKLOAD_NOT_FOUND")) return;
    throw error;
  }
  await awaitStatus({
    client,
    name,
    doing: `Removing what was left of ${name}`,
    until: (current) => current?.status !== "removing",
    isQuiet,
    context: uninterruptible(context),
  });
}

/** Describes a remote server that cannot be reached; its status gives the reason. */
function describeUnreached(workload: WorkloadView): ThvError {
  const { code, message, hint } = explainFailure(workload);
  return new ThvError(code, `"${workload.name}" was not kept: ${message}`, { hint: withoutAskedAgain(hint) });
}

function describeUnready({ name, status_context: reason, error }: WorkloadView): ThvError {
  const why = error?.message ?? reason ?? "the server does not answer";
  const hint =
    error?.hint ??
    "Check its arguments, its variables and its --transport: a server answers MCP requests as soon as it runs.";
  return new ThvError("SERVER_NOT_READY", `"${name}" failed to start and was removed: ${why}.`, { hint });
}

/** A server that speaks on its standard output ends at once when nothing is connected to it, and does not say why. */
function withTransportHint(failure: ThvError, { transport_type: transport }: WorkloadView): ThvError {
  if (failure.code !== "SERVER_EXITED" || transport === "stdio") return failure;
  const hint = `It was started for ${transport}. If it speaks stdio, leave --transport out or say --transport stdio.`;
  return new ThvError(failure.code, failure.message, { hint: [hint, failure.hint ?? ""].join(" ").trim() });
}
