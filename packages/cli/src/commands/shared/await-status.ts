/** Waits for a workload to get somewhere, showing on the way where it is. */
import type { ApiClient } from "@toolhive/api/client";
import { ERRORS, type ErrorCode, hasCode, ThvError } from "@toolhive/core/errors";
import { parsePointer } from "@toolhive/core/located-problem";
import { describeStatus } from "@toolhive/core/workload-status";
import type { CommandContext } from "../../command-line/command.ts";
import { Progress } from "../../terminal/progress.ts";
import { pullLines } from "../../terminal/pull-lines.ts";

export type WorkloadView = Awaited<ReturnType<typeof getWorkload>>;

async function getWorkload(client: ApiClient, name: string) {
  return await client.call("getWorkload", { params: { name } });
}

interface AwaitOptions {
  readonly client: ApiClient;
  readonly name: string;
  /** What is being done, for the progress line: `Starting everything`. */
  readonly doing: string;
  /** @returns Whether the wait is over. `undefined` means that the workload does not exist. */
  readonly until: (workload: WorkloadView | undefined) => boolean;
  /** When several are waited for at a time, the caller shows how all of them get on. */
  readonly isQuiet?: boolean;
  /** Output that arrives meanwhile. */
  readonly output?: LiveOutput | undefined;
  readonly context: CommandContext;
}

/** Output that is shown while it arrives. */
export interface LiveOutput {
  /** Lines are printed above the progress line while there is one. */
  printAbove(progress: Progress | undefined): void;
}

/** @throws {ThvError} `INTERRUPTED` naming the workload's status: the supervisor continues the work. */
export async function awaitStatus({
  client,
  name,
  doing,
  until,
  isQuiet = false,
  output,
  context,
}: AwaitOptions): Promise<WorkloadView | undefined> {
  using progress = isQuiet ? undefined : new Progress(context.terminal, doing);
  const { signal } = context;
  output?.printAbove(progress);
  try {
    for await (const { workloads } of client.stream("watchWorkloads", { query: { name }, signal })) {
      if (signal.aborted) break;
      const [workload] = workloads;
      if (until(workload)) return workload;
      if (workload) {
        const { status_context: reason, pull = [] } = workload;
        progress?.update(reason ? `${doing}: ${reason}` : doing, (width) => pullLines(pull, width));
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    output?.printAbove(undefined);
  }
  if (signal.aborted) throw interrupted(name, await findWorkload(client, name));
  throw new ThvError("SUPERVISOR_UNREACHABLE", `The supervisor ended before "${name}" reached the expected status.`, {
    hint: "Check the result: thv list --all",
  });
}

/** Waits until it is stopped, gone, or cannot be stopped. @throws As `awaitStatus`. */
export async function awaitStopped(options: Omit<AwaitOptions, "doing" | "until">): Promise<WorkloadView | undefined> {
  const until = (current?: WorkloadView) => !current || ["stopped", "error", "unknown"].includes(current.status);
  return await awaitStatus({ ...options, doing: `Stopping ${options.name}`, until });
}

function interrupted(name: string, workload: WorkloadView | undefined): ThvError {
  const state = workload ? `is ${workload.status}` : "is gone";
  return new ThvError(
    "INTERRUPTED",
    `Interrupted: "${name}" ${state}, and the operation continues in the background.`,
    {
      hint: "Check the result: thv list --all",
    },
  );
}

/** @returns `undefined` when it does not exist. */
export async function findWorkload(client: ApiClient, name: string): Promise<WorkloadView | undefined> {
  try {
    return await getWorkload(client, name);
  } catch (error) {
    if (hasCode(error, "WORKLOAD_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** The error behind the status `error`; for other statuses, what they say about themselves. */
export function explainFailure({ name, status, status_context: reason, error }: WorkloadView): ThvError {
  // A supervisor of another version may know codes that this one does not.
  const isKnown = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);
  if (error) {
    const { code, message, hint, pointers = [] } = error;
    const problems = pointers.map((pointer) => ({ path: parsePointer(pointer), sentence: message }));
    return new ThvError(isKnown(code) ? code : "INTERNAL", message, { hint, problems });
  }
  if (status === "unknown") {
    return new ThvError("ENGINE_UNREACHABLE", reason || `The status of "${name}" is unknown.`, {
      hint: "Start the container engine: the operation continues as soon as the engine answers.",
    });
  }
  return new ThvError("SERVER_NOT_READY", `${describeStatus(name, status)}${reason ? `: ${reason}` : "."}`, {
    hint: "Check its status: thv list --all",
  });
}
