/** `thv up`: what a project file says becomes so; one server that fails does not hold up the others. */
import type { ApiClient } from "@toolhive/api/client";
import { describeLocked, type LockEntries, type LockEntry, listToolChanges, type Project } from "@toolhive/core";
import { hasCode, messageOf, ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { Progress } from "../../terminal/progress.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { withSuggestion } from "../run/suggest-server.ts";
import { awaitStatus, failureOf, type WorkloadView } from "../shared/await-status.ts";
import { prepareEngine } from "../shared/engine-start.ts";
import { describeFailedStart, isStartOver, rollBackStart } from "../shared/failed-start.ts";
import { awaitTakeOver, reportReplaced } from "../shared/settle.ts";
import {
  compareProject,
  type ProjectComparison,
  type ProjectFailure,
  type ProjectStep,
  type SettingChange,
  UPDATE_HINT,
} from "./compare-project.ts";
import type { UP } from "./definition.ts";
import { compareTools, readTools, TOOL_CHANGE } from "./lock-tools.ts";
import { lockPathOf, openLock, openProject, saveLock } from "./project-files.ts";

/** Servers that are started at a time; engines do not get faster beyond. */
const AT_A_TIME = 4;
/** Tools that a message names. */
const MAX_NAMED = 10;

export const up: CommandHandler<typeof UP> = async (input, context) => {
  const project = await openProject(input.file);
  const lockPath = lockPathOf(project.path);
  const lock = await openLock(lockPath).catch((error) => {
    if (input.updateLock && hasCode(error, "INVALID_ARGUMENT")) return undefined;
    throw error;
  });
  const client = await connectSupervisor(context);
  await awaitTakeOver(client, context);
  await prepareEngine(client, context);
  const { updateLock: updatesLock } = input;
  const comparison = await compareProject(project, { client, context, lock: lock ?? {}, updatesLock });
  if (input.check) {
    const checked = await compareTools(comparison, lock ?? {}, client, context);
    report(checked.steps.map(describePlanned), checked, project, input.format, context);
    throwFailures(checked.failures, project, context);
    const different = checked.steps.filter(({ action }) => action !== "none");
    if (different.length > 0) throw createDifference(different, project);
    return;
  }
  const { done, failures } = await applySteps(comparison, client, context);
  const all = [...comparison.failures, ...failures].map(explainDigest);
  const entries = await lockDone(done, client, context);
  const merged = mergeLock(project, lock ?? {}, entries, updatesLock);
  await saveLock(lockPath, lock, merged);
  report(done.map(describeDone), { ...comparison, failures: all }, project, input.format, context);
  reportTools(entries, merged, context);
  await reportReplaced(client, context, ({ workload }) => done.some(({ name }) => name === workload));
  throwFailures(all, project, context);
};

/** A server as it is once its step was taken. */
interface DoneStep extends ProjectStep {
  readonly workload: WorkloadView;
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
  const progressText = () => `Bringing up ${steps.length} servers: ${done.length + failures.length} done`;
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
  // All of them end before an interruption is told: each takes back what it has begun.
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

/** Either the server runs afterwards, or nothing of it is left, so that the next `thv up` begins anew. */
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
  await rollBackStart(client, name, context, { isQuiet: true });
  throw await withSuggestion(describeFailedStart(workload), body.image, client);
}

async function startServer(name: string, client: ApiClient, context: CommandContext): Promise<void> {
  await client.call("restartWorkload", { params: { name } });
  const workload = await awaitStatus({ client, name, doing: "", until: isStartOver, isQuiet: true, context });
  if (!workload) throw new ThvError("WORKLOAD_NOT_FOUND", `"${name}" was removed while it was being started.`);
  if (workload.status !== "running" && workload.status !== "unauthenticated") throw failureOf(workload);
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
      `Tools of ${name} are not those of the lock: ${names}. Look at them, and accept them: thv up --update-lock`,
    );
  }
}

/** What was locked stays as it was, but for what is run otherwise now, or is not in the file any more. */
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

interface Outcome {
  readonly line: string;
  readonly result: {
    readonly name: string;
    readonly action: ProjectStep["action"];
    readonly changes: readonly SettingChange[];
    readonly url?: string;
  };
}

function describePlanned(step: ProjectStep): Outcome {
  const { name, action, changes, body, isStopped, url } = step;
  const result = { name, action, changes, ...(url !== undefined && { url }) };
  const details = changes.map((change) => `\n    ${describeChange(change)}`).join("");
  switch (action) {
    case "create":
      return { result, line: `+ ${name} is missing: ${body.image}` };
    case "change":
      return { result, line: `~ ${name} differs${isStopped ? ", and is stopped" : ""}:${details}` };
    case "start":
      return { result, line: `~ ${name} is stopped.` };
    case "none":
      return { result, line: `  ${name} is as the file says.` };
  }
}

function describeChange({ member, before, after }: SettingChange): string {
  const shown = showLine(member.slice(0, 200));
  if (before === undefined && after === undefined) return `${shown} has another value`;
  return `${shown}: ${before ?? "(not set)"} → ${after ?? "(not set)"}`;
}

const DONE: Readonly<Record<ProjectStep["action"], string>> = {
  create: "is created",
  change: "is changed",
  start: "is started",
  none: "is as the file says",
};

function describeDone({ name, action, changes, workload }: DoneStep): Outcome {
  const { url, status } = workload;
  const members = changes.length > 0 ? ` (${changes.map(({ member }) => member).join(", ")})` : "";
  const waits = status === "unauthenticated" ? `; it waits for a sign-in: thv auth login ${name}` : "";
  return { result: { name, action, changes, url }, line: `${name} ${DONE[action]}${members}: ${url}${waits}` };
}

function report(
  outcomes: readonly Outcome[],
  { failures, unlisted }: ProjectComparison,
  { path }: Project,
  format: "text" | "json",
  { terminal }: CommandContext,
): void {
  const failed = failures.map(({ name, error }) => ({
    name,
    code: error instanceof ThvError ? error.code : "INTERNAL",
    message: messageOf(error),
  }));
  if (format === "json")
    terminal.printJson({ file: path, servers: outcomes.map(({ result }) => result), failed, unlisted });
  else for (const { line } of outcomes) terminal.print(line);
  for (const name of unlisted)
    terminal.info(`${name} is not in ${path} any more. It was left alone; remove it: thv rm ${name}`);
}

/** @throws {ThvError} The only failure, or one that names each. */
function throwFailures(failures: readonly ProjectFailure[], { servers }: Project, { terminal }: CommandContext): void {
  const [first] = failures;
  if (!first) return;
  const only = failures.length === 1 && first.error instanceof ThvError ? first.error : undefined;
  const list = failures.map(({ name, error }) => `${name}: ${messageOf(error)}`).join(" ");
  const summary = `${failures.length} of ${servers.length} servers did not come up. ${list}`;
  for (const { error } of only ? [] : failures)
    if (error instanceof ThvError && error.hint !== undefined) terminal.info(error.hint);
  throw new ThvError(first.error instanceof ThvError ? first.error.code : "INTERNAL", summary, {
    hint: only?.hint ?? "Correct what is wrong, and complete it: thv up",
    cause: first.error,
  });
}

/** The digest that the supervisor wanted is the lock's. */
function explainDigest({ name, error }: ProjectFailure): ProjectFailure {
  if (!hasCode(error, "IMAGE_NOT_VERIFIED") || !error.message.endsWith("is wanted.")) return { name, error };
  return { name, error: new ThvError(error.code, error.message, { hint: UPDATE_HINT, cause: error }) };
}

function createDifference(different: readonly ProjectStep[], { path, servers }: Project): ThvError {
  const nameTools = ({ changes }: ProjectStep) =>
    changes.flatMap(({ member }) => (member.startsWith(TOOL_CHANGE) ? [showLine(member.slice(0, 100))] : []));
  const names = different.map((step) => {
    const tools = nameTools(step);
    const more = tools.length > MAX_NAMED ? ", …" : "";
    return tools.length === 0 ? step.name : `${step.name} (${tools.slice(0, MAX_NAMED).join(", ")}${more})`;
  });
  const areToolsAlone = different.every((step) => nameTools(step).length === step.changes.length && !step.isStopped);
  const [first] = different;
  return new ThvError(
    "PROJECT_DIFFERS",
    `${different.length} of ${servers.length} servers are not as ${path} says: ${names.join("; ")}.`,
    {
      hint:
        areToolsAlone && first?.action === "change"
          ? `Look at what is held back: thv tools accept ${first.name}. Then write the lock: thv up --update-lock`
          : "Make it so: thv up",
    },
  );
}
