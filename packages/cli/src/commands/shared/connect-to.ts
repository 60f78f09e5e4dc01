/** The supervisor of commands that need something to be there already: they start none in vain. */
import type { ApiClient } from "@toolhive/api/client";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import { connectIfNeeded } from "../../supervisor/connect.ts";

/** @throws {ThvError} `WORKLOAD_NOT_FOUND`, when nothing has ever been started. */
export async function connectTo(name: string, context: CommandContext): Promise<ApiClient> {
  const hint = "See all servers: thv list --all";
  return await connectOr(new ThvError("WORKLOAD_NOT_FOUND", `There is no server "${name}".`, { hint }), context);
}

/** @throws {ThvError} `problem`, when nothing has ever been started. */
export async function connectOr(problem: ThvError, context: CommandContext): Promise<ApiClient> {
  const client = await connectIfNeeded(context);
  if (client) return client;
  throw problem;
}
