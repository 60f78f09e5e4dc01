/** The lines of `thv up` about groups. */
import { formatGrants, type GrantedServer } from "../shared/questions/confirm-grants.ts";
import { formatSettingChanges, type SettingChange } from "../shared/setting-changes.ts";
import { type GroupStep, nameGroup } from "./compare-groups.ts";

export interface GroupOutcome {
  readonly line: string;
  readonly result: {
    readonly name: string;
    readonly action: GroupStep["action"];
    readonly changes: readonly SettingChange[];
    readonly url?: string;
    readonly grants?: GroupStep["grants"];
    readonly allowed?: boolean;
  };
}

export function describePlannedGroup(step: GroupStep, unapproved: readonly GrantedServer[]): GroupOutcome {
  const { group, action, changes, url, grants } = step;
  const asked = unapproved.find(({ name }) => name === nameGroup(group));
  const brought = grants && { grants, allowed: asked === undefined };
  const result = { name: group, action, changes, ...(url !== undefined && { url }), ...brought };
  const gets = asked ? ["\n  thv up asks for your permission for:", ...formatGrants(asked.grants)].join("\n") : "";
  if (action === "none") return { result, line: `  ${nameGroup(group)} matches the file.` };
  if (action === "create") return { result, line: `+ ${nameGroup(group)} is missing.${gets}` };
  const details = formatSettingChanges(changes)
    .map((detail) => `\n${detail}`)
    .join("");
  return { result, line: `~ ${nameGroup(group)} differs:${details}${gets}` };
}

const DONE = { create: "is created", change: "is changed", none: "matches the file" } as const;

export function describeDoneGroup({ group, action, changes, url }: GroupStep): GroupOutcome {
  const result = { name: group, action, changes, ...(url !== undefined && { url }) };
  const members = changes.length > 0 ? ` (${changes.map(({ member }) => member).join(", ")})` : "";
  return { result, line: `${nameGroup(group)} ${DONE[action]}${members}${url === undefined ? "." : `: ${url}`}` };
}
