/** Does what `thv up` has shown: groups first, then their servers, then the clients that get their URLs. */
import { isDeepStrictEqual } from "node:util";
import type { ApiClient } from "@toolhive/api/client";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import { Progress } from "../../terminal/progress.ts";
import { awaitStatus, explainFailure, type WorkloadView } from "../shared/await-status.ts";
import { describeFailedStart, isStartOver, rollBackStart } from "../shared/failed-start.ts";
import { withSuggestion } from "../shared/suggest-server.ts";
import { type GroupStep, nameGroup } from "./compare-groups.ts";
import type { ProjectComparison, ProjectFailure, ProjectStep } from "./compare-project.ts";
import type { DoneStep } from "./outcomes.ts";
import { formatCount } from "./project-report.ts";

/** Servers that are started at a time; engines do not get faster beyond. */
const AT_A_TIME = 4;

interface Applied {
  readonly done: readonly DoneStep[];
  readonly doneGroups: readonly GroupStep[];
  readonly failures: readonly ProjectFailure[];
}

export async function applySteps(
  comparison: ProjectComparison,
  client: ApiClient,
  context: CommandContext,
): Promise<Applied> {
  const { groups, groupSteps, groupFailures } = comparison;
  const missing = new Map<string, unknown>(groupFailures.map(({ name, error }) => [name, error]));
  const described = new Set(groupSteps.map(({ group }) => group));
  const named = comparison.steps.flatMap(({ joins }) => joins).filter((group) => !described.has(group));
  for (const name of new Set(named.filter((group) => !groups.has(group))))
    await client.call("createGroup", { body: { name } }).catch((error: unknown) => missing.set(nameGroup(name), error));
  // Before their servers come, so that nobody sees a tool that was not chosen.
  for (const step of groupSteps)
    await chooseTools(step, client).catch((error: unknown) => missing.set(nameGroup(step.group), error));
  const { done, failures } = await applyServers(comparison, missing, client, context);
  const doneGroups: GroupStep[] = [];
  for (const step of groupSteps.filter(({ group }) => !missing.has(nameGroup(group)))) {
    try {
      doneGroups.push(await registerClients(step, client));
    } catch (error) {
      missing.set(nameGroup(step.group), error);
    }
  }
  if (context.signal.aborted) throw new ThvError("INTERRUPTED", "Interrupted.");
  const lost = [...missing].filter(([name]) => !groupFailures.some((failure) => failure.name === name));
  const ofGroups = lost.filter(([name]) => groupSteps.some(({ group }) => nameGroup(group) === name));
  return { done, doneGroups, failures: [...failures, ...ofGroups.map(([name, error]) => ({ name, error }))] };
}

async function chooseTools({ group: name, action, wanted, choice }: GroupStep, client: ApiClient): Promise<void> {
  if (action === "create") {
    const { clients: _clients, name: _name, ...settings } = wanted;
    await client.call("createGroup", { body: { name, ...settings } });
  } else if (choice) await client.call("chooseGroupTools", { params: { name }, body: choice });
}

async function registerClients(step: GroupStep, client: ApiClient): Promise<GroupStep> {
  const { group: name, newClients } = step;
  for (const each of newClients) await client.call("registerClient", { body: { name: each, groups: [name] } });
  const { url } = await client.call("getGroup", { params: { name } });
  return { ...step, ...(url !== undefined && { url }) };
}

async function applyServers(
  { steps }: ProjectComparison,
  withoutGroup: ReadonlyMap<string, unknown>,
  client: ApiClient,
  context: CommandContext,
): Promise<{ readonly done: readonly DoneStep[]; readonly failures: readonly ProjectFailure[] }> {
  const done: DoneStep[] = [];
  const failures: ProjectFailure[] = [];
  const waiting = [...steps];
  const servers = formatCount(steps.length);
  const progressText = () => `Starting ${servers}: ${done.length + failures.length} done`;
  using progress = new Progress(context.terminal, progressText());
  const work = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      try {
        for (const group of step.joins.map(nameGroup)) if (withoutGroup.has(group)) throw withoutGroup.get(group);
        done.push({ ...step, workload: await applyStep(step, client, context) });
      } catch (error) {
        if (context.signal.aborted) throw error;
        failures.push({ name: step.name, error });
      }
      progress.update(progressText());
    }
  };
  // All of them end before the command reports an interruption: each undoes what it has begun.
  const ends = await Promise.allSettled(Array.from({ length: AT_A_TIME }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  const byName = (left: { name: string }, right: { name: string }) => (left.name < right.name ? -1 : 1);
  return { done: done.sort(byName), failures: failures.sort(byName) };
}

async function applyStep(step: ProjectStep, client: ApiClient, context: CommandContext): Promise<WorkloadView> {
  const { name, joins, leaves } = step;
  if (step.action === "create") await createServer(step, client, context);
  for (const group of joins) await client.call("addGroupWorkload", { params: { name: group, workload: name } });
  for (const group of leaves) await client.call("removeGroupWorkload", { params: { name: group, workload: name } });
  if (step.isEdited) {
    const settings = await client.call("exportWorkload", { params: { name } });
    assertUnchanged(step, settings);
    const { sleep_after_seconds: present } = settings;
    const kept = present === undefined ? {} : { sleep_after_seconds: present };
    await client.call("editWorkload", { params: { name }, body: { ...kept, ...step.body } });
  }
  if (step.isStopped) await startServer(name, client, context);
  return await client.call("getWorkload", { params: { name } });
}

/** Somebody else has changed it since it was compared: that change is not overwritten unseen. @throws {ThvError} `WORKLOAD_BUSY`. */
function assertUnchanged({ name, compared }: ProjectStep, present: ProjectStep["compared"]): void {
  if (isDeepStrictEqual(compared, present)) return;
  throw new ThvError("WORKLOAD_BUSY", `"${name}" was changed by somebody else after it was compared.`, {
    hint: "See the difference, and apply the file again: thv up --check",
  });
}

/** Either the server runs afterwards, or nothing of it remains, so that the next `thv up` starts from the beginning. */
async function createServer(
  { name, body, joins }: ProjectStep,
  client: ApiClient,
  context: CommandContext,
): Promise<void> {
  const [group] = joins;
  const asked = { ...body, ...(group !== undefined && { group }) };
  await client.call("createWorkload", { body: asked }).catch(async (error) => {
    throw await withSuggestion(error, body.image, client);
  });
  let workload: WorkloadView | undefined;
  try {
    workload = await awaitStatus({ client, name, doing: "", until: isStartOver, isQuiet: true, context });
  } catch (error) {
    await rollBackStart(client, name, context, { isQuiet: true });
    throw error;
  }
  if (!workload) throw new ThvError("WORKLOAD_NOT_FOUND", `"${name}" was removed while it was being started.`);
  if (workload.status === "running" || workload.status === "unauthenticated") return;
  await rollBackStart(client, name, context, { isQuiet: true, keepsLog: true });
  throw await withSuggestion(describeFailedStart(workload), body.image, client);
}

async function startServer(name: string, client: ApiClient, context: CommandContext): Promise<void> {
  await client.call("restartWorkload", { params: { name } });
  const workload = await awaitStatus({ client, name, doing: "", until: isStartOver, isQuiet: true, context });
  if (!workload) throw new ThvError("WORKLOAD_NOT_FOUND", `"${name}" was removed while it was being started.`);
  if (workload.status !== "running" && workload.status !== "unauthenticated") throw explainFailure(workload);
}
