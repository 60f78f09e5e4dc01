/** Differences between the settings of a server, as lines: `thv edit` and `thv up --check` show the same ones. */
import type { OperationAnswer } from "@toolhive/api/client";
import { describeSettingChange } from "@toolhive/core/setting-changes";
import { showLine } from "../../../terminal/shown-text.ts";

export type SettingChange = NonNullable<OperationAnswer<"planWorkload">["changes"]>[number];

/** Characters of a name that are shown. */
const MAX_NAME = 200;

export function formatSettingChanges(changes: readonly SettingChange[]): string[] {
  return changes.map(
    (each) => `    ${showLine(describeSettingChange({ ...each, member: each.member.slice(0, MAX_NAME) }))}`,
  );
}
