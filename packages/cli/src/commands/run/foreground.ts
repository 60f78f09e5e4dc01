/** `thv run --foreground`: shows the server's output until it ends for good, or until Ctrl-C, which stops it. */
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { ApiClient } from "@toolhive/api/client";
import { hasCode, ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import { awaitStatus, explainFailure, findWorkload } from "../shared/await-status.ts";
import { uninterruptible } from "../shared/uninterruptible.ts";

/** Milliseconds before the output of a server is followed again that has not ended for good: its engine may be away. */
const PAUSE_MS = 100;

/** @throws {ThvError} `SERVER_EXITED` and others when the server ended by itself. */
export async function followOutput(client: ApiClient, name: string, context: CommandContext): Promise<void> {
  const { terminal, signal } = context;
  terminal.info("Its output follows. Ctrl-C stops it.");
  while (!signal.aborted) {
    await showOutput(client, name, context);
    if (signal.aborted) break;
    const workload = await findWorkload(client, name);
    if (!workload) throw new ThvError("WORKLOAD_NOT_FOUND", `"${name}" was removed.`);
    if (workload.status === "stopped") {
      terminal.info(`${name} was stopped.`);
      return;
    }
    if (workload.status === "error") throw explainFailure(workload);
    await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  await client.call("stopWorkload", { params: { name } });
  const until = (status: string | undefined) =>
    status === undefined || ["stopped", "error", "unknown"].includes(status);
  const workload = await awaitStatus({
    client,
    name,
    doing: `Stopping ${name}`,
    until: (current) => until(current?.status),
    context: uninterruptible(context),
  });
  if (workload && workload.status !== "stopped") throw explainFailure(workload);
  terminal.info(`${name} is stopped. Start it again: thv restart ${name}`);
}

/** Until the server is stopped, removed or has failed for good. */
async function showOutput(client: ApiClient, name: string, { terminal, signal }: CommandContext): Promise<void> {
  try {
    const lines = await client.open("getWorkloadLogs", { params: { name }, query: { follow: "true" }, signal });
    for await (const line of createInterface({ input: lines })) terminal.info(line);
  } catch (error) {
    // The status reports the end of the output, whatever ended it.
    if (!signal.aborted && hasCode(error, "SUPERVISOR_UNREACHABLE")) throw error;
  }
}
