/** `thv up`: makes servers and groups as a project file describes them; a server that fails does not stop the others. */
import type { ApiClient } from "@toolhive/api/client";
import { describeLocked, type LockEntries, type LockEntry, listToolChanges, type Project } from "@toolhive/core";
import { hasCode, ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { prepareEngine } from "../shared/engine-start.ts";
import { confirmGrants, type GrantedServer } from "../shared/questions/confirm-grants.ts";
import { formatSettingChanges } from "../shared/settings/setting-changes.ts";
import { awaitTakeOver, reportClientFiles } from "../shared/settle.ts";
import { applySteps } from "./apply-project.ts";
import { type GroupStep, nameGroup } from "./compare-groups.ts";
import { compareProject, type ProjectComparison, type ProjectFailure, UPDATE_HINT } from "./compare-project.ts";
import type { UP } from "./definition.ts";
import { compareTools, readTools } from "./lock-tools.ts";
import { type DoneStep, describeDone, describeDoneGroup, describePlanned, describePlannedGroup } from "./outcomes.ts";
import { type Asked, MAX_NAMED, report, throwDifferences, throwFailures } from "./project-report.ts";
import { findProjectFile, type GrantedStep, listUnapproved, saveApproval } from "./records/project-approval.ts";
import { readOwnership } from "./records/project-owner.ts";
import { confirmMoved, describeSource, showMoved, throwMoved } from "./shared-moves.ts";
import { formatUp, type GivenProject } from "./source/project-files.ts";
import { openSource } from "./source/project-source.ts";
import { watchProject } from "./watch.ts";

export const up: CommandHandler<typeof UP> = async (input, context) => {
  if (!input.watch) return await applyFile(input, context);
  const [reference] = input.positionals;
  if (reference !== undefined) {
    throw new ThvError("USAGE", `--watch is for a file, and ${reference} is at an image registry.`, {
      hint: `Pull it into a folder, and watch the file there: thv pull ${reference} FOLDER`,
    });
  }
  const { file, format } = input;
  const later = { ...input, yes: false, adopt: false, updateLock: false };
  const apply = async (isFirst: boolean) => await applyFile(isFirst ? input : later, context);
  await watchProject({ files: file, format, apply }, context);
};

/** Compares the file with what is there, and makes the two the same; with `--check` only compares. */
const applyFile: CommandHandler<typeof UP> = async (input, context) => {
  const source = await openSource(input, context);
  const { project, lock, origin } = source;
  const client = await connectSupervisor(context);
  await awaitTakeOver(client, context);
  await prepareEngine(client, context);
  const { updateLock: updatesLock, adopt: adopts } = input;
  const findFile = (label: string) => findProjectFile(label, context.env);
  const { labels, approval, isRecorded, other } = await readOwnership(project, context.env);
  const ofOwner = { ownLabels: labels, otherFile: other };
  const options = { client, context, lock: lock ?? {}, updatesLock, adopts, findFile, ...ofOwner };
  const comparison = await compareProject(project, options);
  const unapproved = listUnapproved([...comparison.steps, ...comparison.groupSteps.map(toGranted)], approval);
  const [given = input.file] = input.positionals as readonly [GivenProject | undefined];
  const asked = { given, path: project.path, count: project.servers.length };
  if (input.check) {
    const checked = { ...(await compareTools(comparison, lock ?? {}, client, context)), origin };
    const outcomes = checked.steps.map((step) => describePlanned(step, unapproved));
    const ofGroups = checked.groupSteps.map((step) => describePlannedGroup(step, unapproved));
    report({ outcomes, ofGroups }, checked, project, input.format, context);
    throwDifferences(checked, asked, context);
    throwMoved(origin, asked);
    return;
  }
  if (input.watch) showChanges(comparison, context);
  const command = formatUp(given, ...(updatesLock ? ["--update-lock"] : []), ...(adopts ? ["--adopt"] : []), "--yes");
  if (unapproved.length === 0) await confirmMoved(origin, comparison, { isAllowed: input.yes, command }, context);
  else showMoved(origin, context);
  await confirmGrants(
    unapproved,
    { source: describeSource(project, origin), isAllowed: input.yes, command },
    context.terminal,
  );
  // The user may take a while to answer: the steps must still be those that were shown.
  if (unapproved.length > 0 && !input.yes) assertSame(comparison, await compareProject(project, options), asked);
  if (!isRecorded || unapproved.length > 0) await saveApproval(project, approval, unapproved, context.env);
  warnOfApproved(comparison, unapproved, context);
  const { done, doneGroups, failures } = await applySteps(comparison, client, context);
  const all = [...comparison.failures, ...comparison.groupFailures, ...failures].map(explainDigest);
  const entries = await lockDone(done, client, context);
  const merged = mergeLock(project, lock ?? {}, entries, updatesLock);
  const unsaved = await source.saveLock(merged).then(() => undefined, describeUnsaved);
  const outcomes = { outcomes: done.map(describeDone), ofGroups: doneGroups.map(describeDoneGroup) };
  report(outcomes, { ...comparison, failures: all, groupFailures: [], origin }, project, input.format, context);
  reportTools(entries, merged, context);
  if (done.length + doneGroups.length > 0) {
    await reportClientFiles(client, context, {
      replaced: ({ workload }) => done.some(({ name }) => name === workload),
    });
  }
  if (unsaved && all.length > 0) context.terminal.info(`Warning: ${unsaved.message}`);
  throwFailures(all, asked, context);
  if (unsaved) throw unsaved;
};

/** The servers run by then. @throws {unknown} Everything except a failure to write. */
function describeUnsaved(error: unknown): ThvError {
  if (!hasCode(error, "FILE_FAILED")) throw error;
  const hint =
    "The servers run, but what they run from is not locked. Solve this, for example free some space, then: thv up";
  return new ThvError(error.code, error.message, { hint, cause: error });
}

/** Prints what was changed in the saved file, before it is applied. */
function showChanges({ steps, groupSteps }: ProjectComparison, { terminal }: CommandContext): void {
  const named = [
    ...steps.map(({ name, changes }) => ({ name, changes })),
    ...groupSteps.map(({ group, changes }) => ({ name: nameGroup(group), changes })),
  ];
  for (const { name, changes } of named.filter((each) => each.changes.length > 0))
    terminal.info([`~ ${name} differs:`, ...formatSettingChanges(changes)].join("\n"));
}

/** A group among the servers that are asked about. */
function toGranted({ group, grants }: GroupStep): GrantedStep {
  return { name: nameGroup(group), warnings: [], ...(grants && { grants }) };
}

/** @throws {ThvError} `NOT_CONFIRMED` when a server would get something else than was shown. */
function assertSame(shown: ProjectComparison, now: ProjectComparison, { given, path }: Asked): void {
  const formatSteps = ({ steps, groupSteps }: ProjectComparison) =>
    JSON.stringify([
      steps.map(({ name, grants, warnings }) => [name, grants, warnings]),
      groupSteps.map(({ group, grants }) => [group, grants]),
    ]);
  if (formatSteps(shown) === formatSteps(now)) return;
  throw new ThvError("NOT_CONFIRMED", `${path} changed while you were asked for permission.`, {
    hint: `Nothing was started. Review it again: ${formatUp(given)}`,
  });
}

/** Warnings for servers that were allowed before; the others were shown with the question. */
function warnOfApproved({ steps }: ProjectComparison, shown: readonly GrantedServer[], { terminal }: CommandContext) {
  for (const { name, warnings } of steps) {
    if (shown.some((each) => each.name === name)) continue;
    for (const warning of warnings) terminal.info(`Warning: ${name}: ${showLine(warning)}`);
  }
}

/** Locks what each server runs from now, and the tools that clients see. */
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

/** The digest that the supervisor required is that of the lock. */
function explainDigest({ name, error }: ProjectFailure): ProjectFailure {
  if (!hasCode(error, "IMAGE_NOT_VERIFIED")) return { name, error };
  if (!error.problems.some(({ path: [member] }) => member === "image_digest")) return { name, error };
  return { name, error: new ThvError(error.code, error.message, { hint: UPDATE_HINT, cause: error }) };
}
