/** The tools of servers beside those of the lock: the recorded ones, and those that each offers now. */
import type { ApiClient } from "@toolhive/api/client";
import { type LockEntries, listToolChanges, type ToolHashes } from "@toolhive/core";
import type { CommandContext } from "../../command-line/command.ts";
import type { SettingChange } from "../shared/settings/setting-changes.ts";
import { refreshTools } from "../tools/offered-tools.ts";
import type { ProjectComparison, ProjectFailure, ProjectStep } from "./compare-project.ts";

/** Begins the member of a change that is about a tool. */
export const TOOL_CHANGE = "tool ";
/** Digits of a hash that are shown. */
const SHOWN_DIGITS = 12;

export interface SeenTools {
  /** As clients see them: recorded, and accepted since. */
  readonly accepted: ToolHashes;
  /** As the server has them, held back or not. */
  readonly offered: ToolHashes;
}

/**
 * Asks the server for its list; the proxy compares the list when it passes it on.
 *
 * @returns `undefined` for a server whose tools are not recorded, and where it need not answer for one that does not.
 * @throws {ThvError} `SERVER_NOT_READY`, `UNAUTHENTICATED` where it must answer.
 */
export async function readTools(
  name: string,
  client: ApiClient,
  context: CommandContext,
  { mustAnswer }: { readonly mustAnswer: boolean },
): Promise<SeenTools | undefined> {
  const read = () => client.call("getToolPins", { params: { name } });
  if ((await read()).mode === "off") return undefined;
  try {
    await refreshTools(name, context, { mustAnswer: true });
  } catch (error) {
    if (mustAnswer || context.signal.aborted) throw error;
    return undefined;
  }
  const { pinned_at, tools, differences } = await read();
  if (pinned_at === undefined) return undefined;
  const held = differences
    .filter(({ kind }) => kind !== "removed")
    .map(({ name: tool, sha256 = "" }) => [tool, sha256]);
  const accepted = Object.fromEntries(tools.map(({ name: tool, sha256 }) => [tool, sha256]));
  return { accepted, offered: { ...accepted, ...Object.fromEntries(held) } };
}

/** Adds tools that differ from those of the lock to the differences; fails for a server that does not list its tools. */
export async function compareTools(
  comparison: ProjectComparison,
  lock: LockEntries,
  client: ApiClient,
  context: CommandContext,
): Promise<ProjectComparison> {
  const steps: ProjectStep[] = [];
  const failures: ProjectFailure[] = [...comparison.failures];
  for (const step of comparison.steps) {
    const { name, server, action, isStopped, changes } = step;
    const locked = Object.hasOwn(lock, name) && lock[name]?.run === server.run ? lock[name].tools : undefined;
    if (action === "create" || isStopped || !locked) {
      steps.push(step);
      continue;
    }
    try {
      const seen = await readTools(name, client, context, { mustAnswer: true });
      const found = seen ? describeToolChanges(locked, seen.offered) : [];
      steps.push(found.length === 0 ? step : { ...step, action: "change", changes: [...changes, ...found] });
    } catch (error) {
      if (context.signal.aborted) throw error;
      failures.push({ name, error });
    }
  }
  return { ...comparison, steps, failures };
}

function describeToolChanges(locked: ToolHashes, offered: ToolHashes): SettingChange[] {
  return listToolChanges(locked, offered).map(({ name, before, after }) => ({
    member: `${TOOL_CHANGE}${name}`,
    kind: before === undefined ? "added" : "changed",
    ...(before !== undefined && { before: describeHash(before) }),
    after: describeHash(after),
  }));
}

function describeHash(sha256: string): string {
  return sha256 === "" ? "a definition that cannot be shown" : sha256.slice(0, SHOWN_DIGITS);
}
