/** Compares each group that a project file describes with the group of that name: what `thv up` would change. */
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import { formatFullName, type Grant, type ProjectGroup } from "@toolhive/core";
import { hasCode, ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import type { SettingChange } from "../shared/settings/setting-changes.ts";
import type { ProjectFailure } from "./compare-project.ts";

type GroupView = OperationAnswer<"getGroup">;

export interface GroupStep {
  /** Of the group. */
  readonly group: string;
  readonly action: "create" | "change" | "none";
  readonly changes: readonly SettingChange[];
  readonly wanted: ProjectGroup;
  /** Its whole choice of tools, where that changes. */
  readonly choice?: Choice;
  /** Clients that are to be registered for it. */
  readonly newClients: readonly string[];
  readonly url?: string;
  /** What its clients would get; absent where all stays as it is. */
  readonly grants?: readonly Grant[];
}

export type Choice = Pick<ProjectGroup, "tools" | "tools_override" | "find_tools">;

/** What a group is called among servers, which cannot have a space in their names. */
export function nameGroup(group: string): string {
  return `group ${group}`;
}

export async function compareGroups(
  wanted: readonly ProjectGroup[],
  present: readonly GroupView[],
  client: ApiClient,
  { signal }: CommandContext,
): Promise<{ readonly steps: readonly GroupStep[]; readonly failures: readonly ProjectFailure[] }> {
  const steps: GroupStep[] = [];
  const failures: ProjectFailure[] = [];
  for (const group of wanted) {
    const existing = present.find(({ name }) => name === group.name);
    try {
      steps.push(existing ? await compareExisting(group, existing, client) : describeNew(group));
    } catch (error) {
      if (signal.aborted) throw error;
      failures.push({ name: nameGroup(group.name), error });
    }
  }
  return { steps, failures };
}

function describeNew(wanted: ProjectGroup): GroupStep {
  const { name, clients = [] } = wanted;
  const choice = pickChoice(wanted);
  const grants = listGroupGrants(choice, clients);
  return { group: name, action: "create", changes: [], wanted, choice, newClients: clients, grants };
}

async function compareExisting(wanted: ProjectGroup, present: GroupView, client: ApiClient): Promise<GroupStep> {
  const { name, clients = [] } = wanted;
  assertFixed(wanted, present);
  const newClients = clients.filter((each) => !present.registered_clients.includes(each));
  // What the file leaves out stays.
  const choice = { ...pickChoice(present), ...pickChoice(wanted) };
  const isChosen = name !== "default" && (await isOtherChoice(choice, present, client));
  const changes = [
    ...(isChosen ? listChoiceChanges(pickChoice(present), choice) : []),
    ...(newClients.length > 0 ? [describeClients(present.registered_clients, newClients)] : []),
  ];
  const { url } = present;
  const step = { group: name, changes, wanted, newClients, ...(url !== undefined && { url }) };
  if (changes.length === 0) return { ...step, action: "none" };
  const grants = listGroupGrants(isChosen ? choice : {}, newClients);
  return { ...step, action: "change", ...(isChosen && { choice }), grants };
}

/** @throws {ThvError} `GROUP_EXISTS` when the file wants a change of what can be set only when a group is created. */
function assertFixed({ name, naming, port }: ProjectGroup, present: GroupView): void {
  const different = [
    naming !== undefined && naming !== present.naming ? `naming is ${present.naming} and not ${naming}` : [],
    port !== undefined && port !== present.port ? `port is ${present.port} and not ${port}` : [],
  ].flat();
  if (different.length === 0) return;
  throw new ThvError("GROUP_EXISTS", `The group "${name}" exists, and its ${different.join(", its ")}.`, {
    hint: `Write that in the file, or remove the group, which keeps its servers: thv group rm ${name}`,
  });
}

function pickChoice({ tools, tools_override, find_tools }: Choice): Choice {
  return {
    ...(tools && { tools }),
    ...(tools_override && { tools_override }),
    ...(find_tools !== undefined && { find_tools }),
  };
}

/** Names of tools depend on what else is in a group: both are compared by server and own name, as far as those are known. */
async function isOtherChoice(choice: Choice, present: GroupView, client: ApiClient): Promise<boolean> {
  if (formatChoice(choice) === formatChoice(pickChoice(present))) return false;
  const fullNames = await readFullNames(present.name, client);
  return formatChoice(choice, fullNames) !== formatChoice(pickChoice(present), fullNames);
}

async function readFullNames(name: string, client: ApiClient): Promise<ReadonlyMap<string, string>> {
  try {
    const { states = [] } = await client.call("listGroupTools", { params: { name } });
    return new Map(
      states.flatMap((tool) => (tool.server ? [[tool.name, formatFullName(tool.server, tool.own_name)] as const] : [])),
    );
  } catch (error) {
    // While its servers do not answer, names are compared as they are.
    if (hasCode(error, "SERVER_NOT_READY", "INVALID_ARGUMENT", "LIMIT_REACHED")) return new Map();
    throw error;
  }
}

function formatChoice(
  { tools = [], tools_override = {}, find_tools = false }: Choice,
  fullNames: ReadonlyMap<string, string> = new Map(),
): string {
  const full = (name: string) => fullNames.get(name) ?? name;
  const overrides = Object.entries(tools_override).map(([name, { name: other, description }]) => [
    full(name),
    other ?? null,
    description ?? null,
  ]);
  return JSON.stringify([tools.map(full).sort(), overrides.sort(byFirst), find_tools]);
}

function byFirst([left]: readonly unknown[], [right]: readonly unknown[]): number {
  return String(left) < String(right) ? -1 : 1;
}

function listChoiceChanges(before: Choice, after: Choice): SettingChange[] {
  return (["tools", "tools_override", "find_tools"] as const).flatMap((member) => {
    const [old, next] = [before[member], after[member]].map(showValue);
    if (old === next) return [];
    const kind = old === undefined ? "added" : next === undefined ? "removed" : "changed";
    return [{ member, kind, ...(old && { before: old }), ...(next && { after: next }) }];
  });
}

function showValue(value: unknown): string | undefined {
  if (value === undefined || value === false) return undefined;
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return isEmpty ? undefined : JSON.stringify(value).slice(0, 200);
}

function describeClients(present: readonly string[], added: readonly string[]): SettingChange {
  const before = present.join(", ");
  const kind = before === "" ? "added" : "changed";
  return { member: "clients", kind, ...(before !== "" && { before }), after: [...present, ...added].join(", ") };
}

/** Includes the texts of descriptions, because models read them. */
function listGroupGrants({ tools, tools_override = {}, find_tools }: Choice, clients: readonly string[]): Grant[] {
  const overrides = Object.entries(tools_override).map(([name, override]) => `${name} as ${JSON.stringify(override)}`);
  return [
    clients.map((name) => ({ kind: "client" as const, text: `${name} gets its URL` })),
    tools === undefined ? [] : [{ kind: "tools" as const, text: tools.length === 0 ? "all" : tools.join(", ") }],
    overrides.map((text) => ({ kind: "tools" as const, text })),
    find_tools === undefined ? [] : [{ kind: "tools" as const, text: find_tools ? "found by search" : "listed" }],
  ].flat();
}
