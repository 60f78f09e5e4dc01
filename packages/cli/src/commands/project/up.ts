/** `thv up`: what a project file says becomes so; one server that fails does not hold up the others. */
import type { ApiClient } from "@toolhive/api/client";
import { describeLocked, type LockEntries, type LockEntry, listToolChanges, type Project } from "@toolhive/core";
import { hasCode, ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { Progress } from "../../terminal/progress.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { awaitStatus, explainFailure, type WorkloadView } from "../shared/await-status.ts";
import { prepareEngine } from "../shared/engine-start.ts";
import { describeFailedStart, isStartOver, rollBackStart } from "../shared/failed-start.ts";
import { confirmGrants, type GrantedServer } from "../shared/questions/confirm-grants.ts";
import { awaitTakeOver, reportClientFiles } from "../shared/settle.ts";
import { withSuggestion } from "../shared/suggest-server.ts";
import {
  compareProject,
  type ProjectComparison,
  type ProjectFailure,
  type ProjectStep,
  UPDATE_HINT,
} from "./compare-project.ts";
import type { UP } from "./definition.ts";
import { compareTools, readTools } from "./lock-tools.ts";
import { type Approval, findProjectFile, listUnapproved, readApproval, saveApproval } from "./project-approval.ts";
import {
  type Asked,
  type DoneStep,
  describeDone,
  describePlanned,
  formatCount,
  MAX_NAMED,
  report,
  throwDifferences,
  throwFailures,
} from "./project-report.ts";
import { confirmMoved, describeSource, showMoved, throwMoved } from "./shared-moves.ts";
import { formatUp } from "./source/project-files.ts";
import { openSource } from "./source/project-source.ts";

/** Servers that are started at a time; engines do not get faster beyond. */
const AT_A_TIME = 4;
export const up: CommandHandler<typeof UP> = async (input, context) => {
  const source = await openSource(input, context);
  const { project, lock, origin } = source;
  const client = await connectSupervisor(context);
  await awaitTakeOver(client, context);
  await prepareEngine(client, context);
  const { updateLock: updatesLock, adopt: adopts } = input;
  const findFile = (label: string) => findProjectFile(label, context.env);
  const options = { client, context, lock: lock ?? {}, updatesLock, adopts, findFile };
  const comparison = await compareProject(project, options);
  const approval = await readApproval(project.label, context.env);
  const unapproved = listUnapproved(comparison.steps, approval);
  const [given = input.file] = input.positionals;
  const asked = { given, path: project.path, count: project.servers.length };
  if (input.check) {
    const checked = { ...(await compareTools(comparison, lock ?? {}, client, context)), origin };
    report(
      checked.steps.map((step) => describePlanned(step, unapproved)),
      checked,
      project,
      input.format,
      context,
    );
    throwDifferences(checked, asked, context);
    throwMoved(origin, asked);
    return;
  }
  const command = formatUp(given, ...(updatesLock ? ["--update-lock"] : []), ...(adopts ? ["--adopt"] : []), "--yes");
  if (unapproved.length === 0) await confirmMoved(origin, comparison, { isAllowed: input.yes, command }, context);
  else showMoved(origin, context);
  await confirmGrants(
    unapproved,
    { source: describeSource(project, origin), isAllowed: input.yes, command },
    context.terminal,
  );
  // A person reads for a while: the steps must still be those that were shown.
  if (unapproved.length > 0 && !input.yes) assertSame(comparison, await compareProject(project, options), asked);
  await saveNewApproval(project, approval, unapproved, context);
  warnOfApproved(comparison, unapproved, context);
  const { done, failures } = await applySteps(comparison, client, context);
  const all = [...comparison.failures, ...failures].map(explainDigest);
  const entries = await lockDone(done, client, context);
  const merged = mergeLock(project, lock ?? {}, entries, updatesLock);
  await source.saveLock(merged);
  report(done.map(describeDone), { ...comparison, failures: all, origin }, project, input.format, context);
  reportTools(entries, merged, context);
  if (done.length > 0) {
    await reportClientFiles(client, context, {
      replaced: ({ workload }) => done.some(({ name }) => name === workload),
    });
  }
  throwFailures(all, asked, context);
};

/** @throws {ThvError} `NOT_CONFIRMED` when a server would get something else than was shown. */
function assertSame(shown: ProjectComparison, now: ProjectComparison, { given, path }: Asked): void {
  const formatSteps = ({ steps }: ProjectComparison) =>
    JSON.stringify(steps.map(({ name, grants, warnings }) => [name, grants, warnings]));
  if (formatSteps(shown) === formatSteps(now)) return;
  throw new ThvError("NOT_CONFIRMED", `${path} changed while you were asked for permission.`, {
    hint: `Nothing was started. Review it again: ${formatUp(given)}`,
  });
}

async function saveNewApproval(
  project: Project,
  before: Approval | undefined,
  allowed: readonly GrantedServer[],
  { env }: CommandContext,
): Promise<void> {
  if (before?.path === project.path && allowed.length === 0) return;
  await saveApproval(project, before, allowed, env);
}

/** Warnings for servers that were allowed before; the others were shown with the question. */
function warnOfApproved({ steps }: ProjectComparison, shown: readonly GrantedServer[], { terminal }: CommandContext) {
  for (const { name, warnings } of steps) {
    if (shown.some((each) => each.name === name)) continue;
    for (const warning of warnings) terminal.info(`Warning: ${name}: ${showLine(warning)}`);
  }
}

async function applySteps(
  { steps, groups }: ProjectComparison,
  client: ApiClient,
  context: CommandContext,
): Promise<{ readonly done: readonly DoneStep[]; readonly failures: readonly ProjectFailure[] }> {
  const wanted = new Set(steps.flatMap(({ joins }) => joins).filter((group) => !groups.has(group)));
  const withoutGroup = new Map<string, unknown>();
  for (const name of wanted)
    await client.call("createGroup", { body: { name } }).catch((error: unknown) => withoutGroup.set(name, error));
  const done: DoneStep[] = [];
  const failures: ProjectFailure[] = [];
  const waiting = [...steps];
  const servers = formatCount(steps.length);
  const progressText = () => `Starting ${servers}: ${done.length + failures.length} done`;
  using progress = new Progress(context.terminal, progressText());
  const work = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      try {
        for (const group of step.joins) if (withoutGroup.has(group)) throw withoutGroup.get(group);
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
    const { sleep_after_seconds: present } = await client.call("exportWorkload", { params: { name } });
    const kept = present === undefined ? {} : { sleep_after_seconds: present };
    await client.call("editWorkload", { params: { name }, body: { ...kept, ...step.body } });
  }
  if (step.isStopped) await startServer(name, client, context);
  return await client.call("getWorkload", { params: { name } });
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

/** What each server runs from now, and the tools that clients see. */
async function lockDone(
  done: readonly DoneStep[],
  client: ApiClient,
  context: CommandContext,
): Promise<Map<string, LockEntry>> {
  const entries = new Map<string, LockEntry>();
  for (const { name, server, workload } of done) {
    const { plan, digests } = await client.call("getWorkloadDetails", { params: { name } });
    const entry = plan && describeLocked(server.run, plan, digests);
    const isUp = workload.status === "running";
    const seen = isUp ? await readTools(name, client, context, { mustAnswer: false }) : undefined;
    const tools = seen && { tools: seen.accepted };
    if (entry || tools) entries.set(name, { run: server.run, ...entry, ...tools });
  }
  return entries;
}

/** Tools that are not those of the lock: another machine has seen other definitions. */
function reportTools(entries: ReadonlyMap<string, LockEntry>, lock: LockEntries, { terminal }: CommandContext): void {
  for (const [name, { tools = {} }] of entries) {
    const locked = lock[name]?.tools ?? tools;
    const different = listToolChanges(locked, tools).map((tool) => showLine(tool.name.slice(0, 100)));
    if (different.length === 0) continue;
    const more = different.length > MAX_NAMED ? `, and ${different.length - MAX_NAMED} more` : "";
    const names = `${different.slice(0, MAX_NAMED).join(", ")}${more}`;
    terminal.info(
      `Tools of ${name} differ from the lock file: ${names}. Review them, then accept them: thv up --update-lock`,
    );
  }
}

/** Locked entries stay as they were, except those of servers that run something else now, or are no longer in the file. */
function mergeLock(
  { servers }: Project,
  before: LockEntries,
  entries: ReadonlyMap<string, LockEntry>,
  updatesLock: boolean,
): LockEntries {
  const merged = servers.flatMap(({ name, run }): (readonly [string, LockEntry])[] => {
    const old = Object.hasOwn(before, name) && before[name]?.run === run ? before[name] : undefined;
    const current = entries.get(name);
    const [entry, other] = updatesLock ? [current ?? old, old] : [old ?? current, current];
    const tools = entry?.tools ?? other?.tools;
    return entry ? [[name, { ...entry, ...(tools && { tools }) }]] : [];
  });
  return Object.fromEntries(merged);
}

/** The digest that the supervisor wanted is the lock's. */
function explainDigest({ name, error }: ProjectFailure): ProjectFailure {
  if (!hasCode(error, "IMAGE_NOT_VERIFIED")) return { name, error };
  if (!error.problems.some(({ path: [member] }) => member === "image_digest")) return { name, error };
  return { name, error: new ThvError(error.code, error.message, { hint: UPDATE_HINT, cause: error }) };
}
