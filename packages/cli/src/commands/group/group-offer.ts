/** The offers of servers that have just joined a group: the command prints a notice when there are none. */
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import type { CommandContext } from "../../command-line/command.ts";
import { showLine } from "../../terminal/shown-text.ts";

export type GroupView = OperationAnswer<"getGroup">;

/** How often a group is asked whether a server has listed what it offers, and milliseconds between. */
const MAX_READS = 20;
const READ_MS = 250;

export async function readGroup(client: ApiClient, name: string): Promise<GroupView> {
  return await client.call("getGroup", { params: { name } });
}

/** @returns The group once its new servers have listed what they offer, or after 5 s. */
export async function awaitOffer(
  client: ApiClient,
  name: string,
  servers: readonly string[],
  { signal }: CommandContext,
): Promise<GroupView> {
  let group = await readGroup(client, name);
  for (let reads = 1; reads < MAX_READS && !signal.aborted; reads += 1) {
    const isWaiting = group.workloads.some((member) => servers.includes(member.name) && member.state === "starting");
    // Only a group with a choice hides something.
    if (!isWaiting || group.tools === undefined) break;
    await new Promise((resolve) => setTimeout(resolve, READ_MS));
    group = await readGroup(client, name);
  }
  return group;
}

export function reportWarnings({ warnings = [] }: GroupView, { terminal }: CommandContext): void {
  for (const warning of warnings) terminal.info(`Warning: ${showLine(warning)}`);
}

/** A group keeps a stream open at each of its servers, so none of them sleeps. */
export async function reportSleeper(
  client: ApiClient,
  group: string,
  server: string,
  { terminal }: CommandContext,
): Promise<void> {
  const request = await client.call("exportWorkload", { params: { name: server } }).catch(() => undefined);
  if ((request?.sleep_after_seconds ?? 0) === 0) return;
  terminal.info(
    `${server} does not sleep while it is in ${group}: the group keeps a stream open at each of its servers.`,
  );
}

/** What clients of a group see of a server that was started in it. */
export async function reportGroup(
  client: ApiClient,
  group: string,
  name: string,
  context: CommandContext,
): Promise<void> {
  await reportSleeper(client, group, name, context);
  reportWarnings(await awaitOffer(client, group, [name], context), context);
}
