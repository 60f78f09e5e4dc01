/** Waits for work of the supervisor that is under way beside a command, so that the next command finds it done. */
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import type { ReplacedEntry } from "@toolhive/core";
import { hasCode, ThvError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import type { CommandContext } from "../../command-line/command.ts";
import { Progress } from "../../terminal/progress.ts";

/** Milliseconds to wait until servers are found again; a server that has to be restarted may take longer than a user waits. */
const TAKE_OVER_MS = 10_000;

/** A supervisor that was just started searches for the servers of its predecessor. Settles once it has, or after 10 s. */
export async function awaitTakeOver(client: ApiClient, context: CommandContext): Promise<void> {
  const timeout = startTimeout(TAKE_OVER_MS);
  const signal = AbortSignal.any([context.signal, timeout]);
  let progress: Progress | undefined;
  try {
    for await (const { workloads } of client.stream("watchWorkloads", { signal })) {
      if (!workloads.some(({ status }) => status === "starting")) return;
      progress ??= new Progress(context.terminal, "Looking for the servers that ran before");
    }
  } catch (error) {
    if (context.signal.aborted) throw new ThvError("INTERRUPTED", "Interrupted.");
    // An older supervisor cannot be followed: it has found its servers long since.
    const isOlder = hasCode(error, "NOT_SUPPORTED");
    if (!timeout.aborted && !isOlder) throw error;
  } finally {
    progress?.[Symbol.dispose]();
  }
}

type FailedClient = NonNullable<OperationAnswer<"settleClients">["failed"]>[number];

/** What became of the clients' files. */
export interface ClientFiles {
  /** Entries of the user's own whose place one of ours has taken. */
  readonly replaced: readonly ReplacedEntry[];
  /** Clients whose file could not be changed. */
  readonly failed: readonly FailedClient[];
}

/** Settles once clients' files list the workloads as they are now, or could not be changed. */
export async function awaitClientFiles(client: ApiClient): Promise<ClientFiles> {
  // A supervisor from before an upgrade does not have this operation; its files follow a moment later.
  const { replaced = [], failed = [] } = (await client.call("settleClients").catch(() => undefined)) ?? {};
  return { replaced, failed };
}

/** Which of the clients' files a command reports on. */
interface ReportedFiles {
  readonly replaced?: (entry: ReplacedEntry) => boolean;
  /** Default: every registered client. */
  readonly failed?: (failure: FailedClient) => boolean;
}

/**
 * Prints which entries of the user were replaced, so that the user knows where they went, and which files could not be
 * changed.
 */
export async function reportClientFiles(
  client: ApiClient,
  { terminal }: CommandContext,
  { replaced: isReplaced = () => false, failed: isFailed = isOfRegistered }: ReportedFiles = {},
): Promise<void> {
  const { replaced, failed } = await awaitClientFiles(client);
  for (const { client: id, workload } of replaced.filter(isReplaced)) {
    terminal.info(
      `${id} had an entry "${workload}" of your own; that of the server takes its place. To put yours back: thv client undo ${id}`,
    );
  }
  for (const { reason, hint } of failed.filter(isFailed)) {
    terminal.info(`${terminal.err("yellow", "Warning:")} ${reason}${hint === undefined ? "" : ` ${hint}`}`);
  }
}

function isOfRegistered({ is_registered: isRegistered = true }: FailedClient): boolean {
  return isRegistered;
}
