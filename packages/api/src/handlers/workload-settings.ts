/** What the operations on how a workload is run do. */
import {
  assertWorkloadName,
  type ClientManager,
  type GroupManager,
  type PinReport,
  scanTools,
  type ToolWarning,
  type Workload,
  type WorkloadSupervisor,
} from "@toolhive/core";
import { listSettingChanges } from "@toolhive/core/setting-changes";
import type { Handlers } from "../contract/contract.ts";
import type { PROJECT_OPERATIONS } from "../contract/project/project.ts";
import type { WORKLOAD_SETTINGS_OPERATIONS } from "../contract/workload-settings.ts";
import { toCreateRequest } from "../create-body/exported-workload.ts";
import { showFileChanges } from "./answers/file-changes.ts";
import { projectHandlers } from "./answers/project-body.ts";
import { upgradeAnswer, upgradesAnswer } from "./answers/upgrade-body.ts";
import { isListedByDefault, workloadBody } from "./answers/workload-body.ts";

function toolPinsBody(report: PinReport | undefined) {
  if (!report)
    return { mode: "off" as const, tools: [], hashed: 0, reordered: [], differences: [], warnings: [], full: false };
  const { settings, pinnedAt, tools, hashedCount, reordered, differences, isFull, unsavedReason } = report;
  return {
    mode: settings.mode,
    changed_tools: settings.changedTools,
    pinned_at: pinnedAt,
    tools: [...tools],
    hashed: hashedCount,
    reordered: [...reordered],
    differences: differences.map(({ beforeText, afterText, ...difference }) => ({
      ...difference,
      ...(beforeText !== undefined && { before_text: beforeText }),
      ...(afterText !== undefined && { after_text: afterText }),
    })),
    warnings: listToolWarnings(report),
    full: isFull,
    ...(unsavedReason !== undefined && { unsaved: unsavedReason }),
  };
}

/** About what the server offers instead; its names are also compared with those that are pinned. */
function listToolWarnings({ tools, differences }: PinReport): ToolWarning[] {
  const offered = new Map(differences.flatMap(({ name, after }) => (after ? [[name, after] as const] : [])));
  if (offered.size === 0) return [];
  const others = tools.filter(({ name }) => !offered.has(name)).map(({ name }) => ({ name }));
  return scanTools([...offered.values(), ...others]).filter(({ tool }) => offered.has(tool));
}

/** @returns Which workloads a query means. @throws {ThvError} `GROUP_NOT_FOUND`. */
function createFilter(
  { all, group }: { readonly all?: string; readonly group?: string },
  groups: GroupManager,
): (workload: Workload) => boolean {
  const members = group === undefined ? undefined : new Set(groups.listMembers(group));
  return (workload) => members?.has(workload.name) !== false && (all !== "false" || isListedByDefault(workload));
}

async function undoBody({ edits }: WorkloadSupervisor, name: string) {
  // One that is being removed has details, and no undo.
  const found = await edits.findUndo(name).catch(() => undefined);
  if (!found) return undefined;
  const { present, next, changedAt, omitted } = found;
  const changes = listSettingChanges(toCreateRequest(present), toCreateRequest(next));
  const restarts = edits.needsRestart(present, next);
  return { changed_at: changedAt.toISOString(), changes, restarts, not_kept: [...omitted] };
}

async function detailsBody(name: string, workloads: WorkloadSupervisor, clients: ClientManager, groups: GroupManager) {
  const { config, plan, digests, container } = await workloads.plans.inspect(name);
  const holders = await clients.listHolders(name, groups.listEntryNames(name));
  return {
    clients: holders.map(({ client, group }) => ({ name: client, ...(group !== undefined && { group }) })),
    request: config && toCreateRequest(config),
    plan,
    digests: digests && [...digests],
    container_id: container?.id,
    undo: config && (await undoBody(workloads, name)),
    started_at: workloads.describe(name).startedAt?.toISOString(),
  };
}

export function workloadSettingsHandlers(
  workloads: WorkloadSupervisor,
  clients: ClientManager,
  groups: GroupManager,
): Pick<Handlers, keyof typeof WORKLOAD_SETTINGS_OPERATIONS | keyof typeof PROJECT_OPERATIONS> {
  return {
    planWorkload: async ({ body, query: { replace } }, context) => {
      if (replace !== undefined) assertWorkloadName(replace);
      const found = await workloads.plans.plan(body, { replace });
      const preview = await clients.preview({ starting: found });
      const plan = { ...found, warnings: [...found.warnings, ...preview.failures.map(({ reason }) => reason)] };
      const files = showFileChanges(preview.files, { ...context, own: clients.bridge });
      if (replace === undefined) return { plan, files };
      const { present, next } = await workloads.edits.compare(replace, body);
      const changes = listSettingChanges(toCreateRequest(present), toCreateRequest(next));
      return { plan, files, changes, restarts: workloads.edits.needsRestart(present, next) };
    },
    editWorkload: async ({ params, body }) => {
      assertWorkloadName(params.name);
      const { name, port } = await workloads.edits.edit(params.name, body);
      return { name, port };
    },
    undoWorkloadEdit: async ({ params }) => {
      assertWorkloadName(params.name);
      const { name, port } = await workloads.edits.undo(params.name);
      return { name, port };
    },
    checkUpgrades: async ({ query }) =>
      upgradesAnswer(await workloads.edits.checkUpgrades(createFilter(query, groups))),
    checkUpgrade: async ({ params }) => {
      assertWorkloadName(params.name);
      return upgradeAnswer(await workloads.edits.checkUpgrade(params.name));
    },
    upgradeWorkload: async ({ params, body: { env = [], secrets = [] } }) => {
      assertWorkloadName(params.name);
      const { name, port } = await workloads.edits.upgrade(params.name, { env, secrets });
      return { name, port, image: workloads.getUsable(name).config.image };
    },
    getPermissions: async ({ params }) => {
      assertWorkloadName(params.name);
      const { access, reach, profile, isLearning, learned, smallest } = await workloads.edits.readNetwork(params.name);
      return { access, reach, ...(profile && { profile }), learning: isLearning, learned: [...learned], smallest };
    },
    allowTarget: async ({ params, body }) => {
      assertWorkloadName(params.name);
      const { profile, isRestarted } = await workloads.edits.allowTarget(params.name, body);
      return { profile, restarted: isRestarted };
    },
    applyLearned: async ({ params }) => {
      assertWorkloadName(params.name);
      const { profile, isRestarted } = await workloads.edits.applyLearned(params.name);
      return { profile, restarted: isRestarted };
    },
    getToolPins: async ({ params }) => {
      assertWorkloadName(params.name);
      return toolPinsBody(await workloads.getUsable(params.name).describePins());
    },
    acceptTools: async ({ params, body: { tools } }) => {
      assertWorkloadName(params.name);
      return toolPinsBody(await workloads.edits.acceptTools(params.name, tools));
    },
    getWorkloadStatus: async ({ params }) => {
      assertWorkloadName(params.name);
      const { status, status_context, error } = workloadBody(workloads.describe(params.name));
      return { status, status_context, error };
    },
    exportWorkload: async ({ params }) => {
      assertWorkloadName(params.name);
      return toCreateRequest(workloads.getUsable(params.name).config);
    },
    ...projectHandlers({ workloads, groups, clients }),
    getWorkloadDetails: async ({ params }) => {
      assertWorkloadName(params.name);
      return await detailsBody(params.name, workloads, clients, groups);
    },
  };
}
