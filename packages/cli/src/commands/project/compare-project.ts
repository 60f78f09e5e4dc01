/** Compares each server of a project file with the workload of that name: what `thv up` would do. */
import type { ApiClient, OperationAnswer, OperationInput } from "@toolhive/api/client";
import {
  describeLocked,
  findLockProblem,
  type Grant,
  type LockEntries,
  type LockEntry,
  listGrants,
  nameLockedEntry,
  PROJECT_LABEL,
  type Project,
  type ProjectServer,
  suggestSource,
} from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import type { WorkloadView } from "../shared/await-status.ts";
import { withEngine } from "../shared/engine-start.ts";
import type { SettingChange } from "../shared/settings/setting-changes.ts";
import { withUnlocked } from "../shared/unlock.ts";
import { compareGroups, type GroupStep } from "./compare-groups.ts";
import { throwOtherFile } from "./records/project-owner.ts";

type Body = OperationInput<"createWorkload">["body"];
type Plan = OperationAnswer<"planWorkload">;

/** `change`: to other settings, groups or both. `start`: it is as it should be, and does not run. */
export type ProjectAction = "create" | "change" | "start" | "none";

export interface ProjectStep {
  readonly name: string;
  readonly server: ProjectServer;
  readonly action: ProjectAction;
  readonly changes: readonly SettingChange[];
  /** Whether its settings change, and not its groups alone. */
  readonly isEdited: boolean;
  readonly isStopped: boolean;
  readonly joins: readonly string[];
  readonly leaves: readonly string[];
  readonly body: Body;
  readonly url?: string;
  /** Everything that it would get; absent where its settings stay as they are. */
  readonly grants?: readonly Grant[];
  /** What it gets now; absent for a new one. */
  readonly presentGrants?: readonly Grant[];
  /** Its settings as they were compared; absent for a new one, and where they stay as they are. */
  readonly compared?: OperationAnswer<"exportWorkload">;
  /** Of the settings that it would have. */
  readonly warnings: readonly string[];
}

export interface ProjectFailure {
  readonly name: string;
  readonly error: unknown;
}

export interface ProjectComparison {
  readonly steps: readonly ProjectStep[];
  readonly failures: readonly ProjectFailure[];
  /** Workloads that this file has made and does not name any more. */
  readonly unlisted: readonly string[];
  /** Groups that exist. */
  readonly groups: ReadonlySet<string>;
  readonly groupSteps: readonly GroupStep[];
  /** Groups that cannot become what the file says. */
  readonly groupFailures: readonly ProjectFailure[];
}

interface Options {
  readonly client: ApiClient;
  readonly context: CommandContext;
  /** The content of the lock, unless it is to be written again. */
  readonly lock: LockEntries;
  readonly updatesLock: boolean;
  /** Labels of servers that this file has made. */
  readonly ownLabels: ReadonlySet<string>;
  /** Another file with the project's name: the servers that are taken over from it are shown as if they were new. */
  readonly otherFile: { readonly path: string; readonly isThere: boolean } | undefined;
  /** Whether servers are taken over whose file is not there any more. */
  readonly adopts: boolean;
  /** Where the file of another project was, by its label; `undefined` where that is not known. */
  readonly findFile: (label: string) => Promise<{ readonly path: string | undefined; readonly isThere: boolean }>;
}

const STOPPED: ReadonlySet<string> = new Set(["stopped", "error"]);

/** One after the other: a person may be asked for a password. */
export async function compareProject(project: Project, options: Options): Promise<ProjectComparison> {
  const { client, context } = options;
  const { workloads } = await client.call("listWorkloads", { query: { all: "true" } });
  const { groups } = await client.call("listGroups");
  assertOwnName(project, workloads, options);
  const listServerGroups = (name: string) =>
    groups.filter((group) => group.workloads.some((member) => member.name === name)).map((group) => group.name);
  const steps: ProjectStep[] = [];
  const failures: ProjectFailure[] = [];
  for (const server of project.servers) {
    const { name } = server;
    try {
      const workload = workloads.find((each) => each.name === name);
      steps.push(
        workload
          ? await compareExisting(server, workload, listServerGroups(name), project, options)
          : await describeNew(server, options),
      );
    } catch (error) {
      if (context.signal.aborted) throw error;
      failures.push({ name, error });
    }
  }
  const named = new Set(project.servers.map(({ name }) => name));
  const own = workloads.filter(({ labels = {} }) => options.ownLabels.has(labels[PROJECT_LABEL] ?? ""));
  const unlisted = own.map(({ name }) => name).filter((name) => !named.has(name));
  const ofGroups = await compareGroups(project.groups, groups, client, context);
  return {
    ...{ steps, failures, unlisted, groups: new Set(groups.map(({ name }) => name)) },
    ...{ groupSteps: ofGroups.steps, groupFailures: ofGroups.failures },
  };
}

async function describeNew(server: ProjectServer, options: Options): Promise<ProjectStep> {
  const { name, groups = [] } = server;
  const locked = findLocked(server, options);
  const body = await withLocked(server, locked, options);
  const planned = await plan(body, options);
  assertLocked(server, locked, planned);
  const rest = { changes: [], isEdited: false, isStopped: false, leaves: [], warnings: planned.plan.warnings };
  return { name, server, action: "create", joins: groups, body, grants: listGrants(planned.plan), ...rest };
}

async function compareExisting(
  server: ProjectServer,
  workload: WorkloadView,
  present: readonly string[],
  project: Project,
  options: Options,
): Promise<ProjectStep> {
  const { name } = server;
  const label = workload.labels?.[PROJECT_LABEL];
  if (label === undefined || !options.ownLabels.has(label)) await assertAdoptable(name, label, project.path, options);
  const locked = findLocked(server, options);
  const body = await withLocked(server, locked, options);
  const planned = await plan(body, options, name);
  assertLocked(server, locked, planned);
  const settings = await dropEqual(planned.changes ?? [], name, options);
  const { joins, leaves } = compareMemberships(server.groups, present);
  const isGroupChange = joins.length > 0 || leaves.length > 0;
  const before = present.filter((group) => group !== "default").join(", ");
  const after = server.groups?.join(", ") ?? "";
  const groupChange = { member: "groups", kind: "changed" as const, ...(before && { before }), after };
  const changes = [...settings, ...(isGroupChange ? [groupChange] : [])];
  const isStopped = STOPPED.has(workload.status);
  const action = changes.length > 0 ? "change" : isStopped ? "start" : "none";
  const { url } = workload;
  const isEdited = settings.length > 0;
  const step = { name, server, action, changes, isEdited, isStopped, joins, leaves, body, url } as const;
  const { plan: next } = planned;
  const brought = { grants: listGrants(next), warnings: next.warnings };
  // What was allowed for another file does not count.
  if (!isEdited) return options.otherFile ? { ...step, ...brought } : { ...step, warnings: [] };
  const { plan: current, request } = await options.client.call("getWorkloadDetails", { params: { name } });
  const isTrusted = current !== undefined && options.otherFile === undefined;
  const compared = request && { compared: request };
  return { ...step, ...brought, ...compared, ...(isTrusted && { presentGrants: listGrants(current) }) };
}

/** Drops changes without an effect: where the file names no time to sleep after, the server keeps that of the user's settings. */
async function dropEqual(
  changes: readonly SettingChange[],
  name: string,
  { client, updatesLock }: Options,
): Promise<readonly SettingChange[]> {
  const left = changes.filter(({ member, after }) => member !== "sleep_after_seconds" || after !== undefined);
  const [only] = left;
  if (left.length !== 1 || only?.member !== "image_digest" || updatesLock) return left;
  if (only.after === undefined) return [];
  // Locked after it was created: the comparison reads its image, and nothing is restarted when that is the locked one.
  const { digests = [] } = await client.call("getWorkloadDetails", { params: { name } });
  return digests.some((each) => each.endsWith(`@${only.after}`)) ? [] : left;
}

/** `default` is implicit: every server that is in no other group is in it, and it is not a wanted group. */
function compareMemberships(wanted: readonly string[] | undefined, present: readonly string[]) {
  if (wanted === undefined) return { joins: [], leaves: [] };
  return {
    joins: wanted.filter((group) => !present.includes(group)),
    leaves: present.filter((group) => group !== "default" && !wanted.includes(group)),
  };
}

/** A lock entry does not count if it is for something else that was run under this name. */
function findLocked({ name, run }: ProjectServer, { lock, updatesLock }: Options): LockEntry | undefined {
  const entry = updatesLock || !Object.hasOwn(lock, name) ? undefined : lock[name];
  return entry?.run === run ? entry : undefined;
}

/** The request with what the lock records: the digest, and the source of the entry where this machine has that source. */
async function withLocked(
  { request }: ProjectServer,
  locked: LockEntry | undefined,
  { client }: Options,
): Promise<Body> {
  if (locked === undefined) return request;
  const body = { ...request, ...(locked.digest !== undefined && { image_digest: locked.digest }) };
  if (locked.registry_source === undefined) return body;
  // Where the registries cannot be listed, the plan says why.
  const { registries } = await client.call("listRegistries").catch(() => ({ registries: [] }));
  const image = nameLockedEntry(
    locked,
    registries.map(({ name, source }) => ({ name, location: source })),
  );
  return image === undefined ? body : { ...body, image };
}

async function plan(body: Body, { client, context }: Options, replace?: string): Promise<Plan> {
  const ask = () => client.call("planWorkload", { body, query: replace === undefined ? {} : { replace } });
  return await withUnlocked(client, context, () => withEngine(client, context, ask));
}

function assertLocked({ name, run }: ProjectServer, locked: LockEntry | undefined, { plan: planned }: Plan): void {
  // A server elsewhere is locked only where a further registry source names it.
  const now = describeLocked(run, planned) ?? { run };
  const problem = locked && findLockProblem(name, locked, now);
  if (problem === undefined) return;
  const isOtherSource = JSON.stringify(locked?.registry_source) !== JSON.stringify(now.registry_source);
  const hint = (isOtherSource && locked && suggestSource(locked)) || UPDATE_HINT;
  throw new ThvError("IMAGE_NOT_VERIFIED", `${problem}.`, { hint });
}

export const UPDATE_HINT = "Accept the present images and packages: thv up --update-lock";

/** @throws {ThvError} `WORKLOAD_EXISTS` while servers of the project's name belong to another file that is there. */
function assertOwnName(
  { name, path, label }: Project,
  workloads: readonly WorkloadView[],
  { otherFile, adopts }: Options,
): void {
  const isUsed = workloads.some(({ labels }) => labels?.[PROJECT_LABEL] === label);
  if (!isUsed || otherFile === undefined || !otherFile.isThere || adopts) return;
  const hint = "Take them over: thv up --adopt. Or give one of the two projects another name";
  throwOtherFile(path, name, otherFile.path, hint);
}

/** @throws {ThvError} `WORKLOAD_EXISTS` for a server that this file may not take over. */
async function assertAdoptable(
  name: string,
  label: string | undefined,
  path: string,
  { adopts, findFile }: Options,
): Promise<void> {
  const intro = `A server named "${name}" already exists, and ${path} did not create it`;
  const remove = `Rename the server in the file, or remove the server: thv rm ${name}`;
  if (label === undefined) throw new ThvError("WORKLOAD_EXISTS", `${intro}.`, { hint: remove });
  const { path: made, isThere } = await findFile(label);
  if (isThere) throw new ThvError("WORKLOAD_EXISTS", `${intro}: ${made} did.`, { hint: remove });
  if (adopts) return;
  const whose = made === undefined ? "another project file did" : `${made} did, which no longer exists`;
  throw new ThvError("WORKLOAD_EXISTS", `${intro}: ${whose}.`, {
    hint: `Take it over, for example after the folder was moved: thv up --adopt. Or remove it: thv rm ${name}`,
  });
}
