/**
 * Replaces a workload's settings; its name, its address and its log stay. The earlier settings return when a server that ran does
 * not run with the new ones.
 */
import { isDeepStrictEqual } from "node:util";
import { omitTools, pickPinSettings, pickToolSelection } from "../access/tool-selection.ts";
import type { Logger } from "../ports/log.ts";
import type { McpEndpoint } from "../ports/mcp-endpoint.ts";
import { ThvError } from "../support/errors.ts";
import { endSentence } from "../support/one-line.ts";
import { resolveNetworkAccess } from "../workload/network-access.ts";
import type { RunConfig } from "../workload/run-config.ts";
import type { ManagedWorkload } from "./managed-workload.ts";
import { buildEndpointOptions } from "./server/workload-endpoint.ts";

export interface ReplacementParts {
  readonly manage: (config: RunConfig, endpoint: McpEndpoint | undefined) => ManagedWorkload;
  /** From now on this one has the name. */
  readonly install: (workload: ManagedWorkload) => void;
  /** Whether it still has its name. */
  readonly isInstalled: (workload: ManagedWorkload) => boolean;
  readonly log: Logger;
}

/**
 * Settles when the server runs with the new settings, or with those before. One that does not run and should not is only
 * saved; one that had failed before keeps the new settings, whatever becomes of it.
 *
 * @param next Checked, with its image present.
 * @param endpoint Already listening on the new port, when that is another one.
 * @throws {ThvError} What the server failed with, once the settings before are in use again; `FILE_FAILED` when the new ones
 * cannot be saved, and then nothing has changed.
 */
export async function replaceWorkload(
  old: ManagedWorkload,
  {
    next,
    endpoint,
    what,
  }: { readonly next: RunConfig; readonly endpoint: McpEndpoint | undefined; readonly what: string },
  parts: ReplacementParts,
): Promise<ManagedWorkload> {
  const { asleep: _slept, ...before } = old.config;
  const { asleep: _sleeps, ...awake } = next;
  const wasUp = old.isUp;
  const successor = await succeed(old, awake, endpoint, parts);
  if (successor.desired !== "running") return successor;
  await successor.start();
  const problem = successor.failure;
  const isWanted = successor.desired === "running" && parts.isInstalled(successor);
  if (!problem || !isWanted || !wasUp) return successor;
  parts.log.warn({ workload: successor.name, reason: problem.message }, "settings before are used again");
  const restored = await succeed(successor, before, undefined, parts);
  if (restored.desired === "running") await restored.start(`${what} did not work: ${problem.message}`);
  const outcome = restored.isUp ? "It runs as it did before." : "What it had before is back in place.";
  throw new ThvError(
    problem.code,
    `${what} of "${before.name}" did not work: ${endSentence(problem.message)} ${outcome}`,
    {
      hint: problem.hint,
      detail: problem.detail,
      cause: problem,
    },
  );
}

/** Whether other settings are the same but for the choice of tools, which needs no other server. */
export function differsInToolsOnly(present: RunConfig, next: RunConfig): boolean {
  const isOther = !isDeepStrictEqual(pickToolSelection(present), pickToolSelection(next));
  const arePinnedOtherwise = !isDeepStrictEqual(pickPinSettings(present), pickPinSettings(next));
  return (isOther || arePinnedOtherwise) && isDeepStrictEqual(omitPassing(present), omitPassing(next));
}

/** What neither a choice of tools nor a state that passes changes. */
function omitPassing(config: RunConfig) {
  const { desired_state: _desired, asleep: _asleep, ...others } = omitTools(config);
  return others;
}

/** One ends, and the other has its name, its file on disk and, where the settings allow it, its endpoint. */
async function succeed(
  old: ManagedWorkload,
  next: RunConfig,
  opened: McpEndpoint | undefined,
  { manage, install }: ReplacementParts,
): Promise<ManagedWorkload> {
  const before = old.config;
  try {
    await old.saveSuccessor(next);
  } catch (error) {
    await opened?.close();
    throw error;
  }
  const config = { ...next, desired_state: old.desired };
  // An open endpoint takes another choice of tools.
  const [present, wanted] = [before, next].map((each) => buildEndpointOptions(omitTools(each)));
  const isSameEndpoint = isDeepStrictEqual(present, wanted);
  const isFilteredNext = resolveNetworkAccess(next) === "filtered";
  const { kept, done } = old.retire({
    keepsEndpoint: isSameEndpoint && opened === undefined,
    keepsSidecar: isFilteredNext,
  });
  kept?.chooseTools(pickToolSelection(next));
  const isToRun = config.desired_state === "running";
  const successor = manage(config, isToRun ? (opened ?? kept) : undefined);
  install(successor);
  if (!isToRun) await (opened ?? kept)?.close();
  await done;
  return successor;
}
