/** The output of `thv up`: what each step would do or has done, and failures. */
import type { Project } from "@toolhive/core";
import { describeError, hasCode, ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { nameGroup } from "./compare-groups.ts";
import type { ProjectComparison, ProjectFailure, ProjectStep } from "./compare-project.ts";
import { TOOL_CHANGE } from "./lock-tools.ts";
import type { Outcome } from "./outcomes.ts";
import { formatUp, type GivenProject } from "./source/project-files.ts";
import type { SharedOrigin } from "./source/shared-project.ts";

/** Tools that a message names. */
export const MAX_NAMED = 10;

/** Which file was asked for, for messages. */
export interface Asked {
  /** As it was named. */
  readonly given: GivenProject;
  readonly path: string;
  readonly count: number;
}

export interface Outcomes {
  readonly outcomes: readonly Outcome[];
  readonly ofGroups: readonly Outcome[];
}

export function report(
  { outcomes, ofGroups }: Outcomes,
  {
    failures: ofServers,
    groupFailures,
    unlisted,
    origin,
  }: ProjectComparison & { readonly origin?: SharedOrigin | undefined },
  { path }: Project,
  format: "text" | "json",
  { terminal }: CommandContext,
): void {
  const failed = [...ofServers, ...groupFailures].map(({ name, error }) => ({
    name,
    code: error instanceof ThvError ? error.code : "INTERNAL",
    message: describeError(error),
  }));
  const [servers, groups] = [outcomes.map(({ result }) => result), ofGroups.map(({ result }) => result)];
  if (format === "json")
    terminal.printJson({ file: path, ...(origin && { from: origin }), servers, groups, failed, unlisted });
  else for (const { line } of [...outcomes, ...ofGroups]) terminal.print(line);
  for (const name of unlisted)
    terminal.info(`${name} is no longer in ${path}, and still exists. Remove it: thv rm ${name}`);
}

/** @throws {ThvError} The only failure, or one that names each. */
export function throwFailures(
  failures: readonly ProjectFailure[],
  { given, count }: Asked,
  { terminal }: CommandContext,
  happened = "failed",
): void {
  const [first] = failures;
  if (!first) return;
  const only = failures.length === 1 && first.error instanceof ThvError ? first.error : undefined;
  const list = failures.map(({ name, error }) => `${name}: ${describeError(error)}`).join(" ");
  const summary = `${failures.length} of ${formatCount(count)} ${happened}. ${list}`;
  for (const { error } of only ? [] : failures)
    if (error instanceof ThvError && error.hint !== undefined) terminal.info(withoutNothing(error.hint));
  const hint = only?.hint === undefined ? undefined : withoutNothing(only.hint);
  throw new ThvError(first.error instanceof ThvError ? first.error.code : "INTERNAL", summary, {
    hint: hint ?? `Fix the cause, then complete the rest: ${formatUp(given)}`,
    cause: first.error,
  });
}

/** Removes "Nothing was started." from the hint of one server: here, other servers may have started. */
function withoutNothing(hint: string): string {
  const others = hint.split("Nothing was started.").map((part) => part.trim());
  return others.filter((part) => part !== "").join(" ");
}

export function formatCount(servers: number): string {
  return servers === 1 ? "1 server" : `${servers} servers`;
}

/** A server of the name that the file has not made is a difference; what could not be compared is a failure of its own. */
const DIFFERENCES = ["WORKLOAD_EXISTS", "GROUP_EXISTS"] as const;

/** @throws {ThvError} `PROJECT_DIFFERS`; or what kept a server from being compared. */
export function throwDifferences(comparison: ProjectComparison, asked: Asked, context: CommandContext): void {
  const { steps, groupSteps } = comparison;
  const failures = [...comparison.failures, ...comparison.groupFailures];
  const foreign = failures.filter(({ error }) => hasCode(error, ...DIFFERENCES));
  const rest = failures.filter((failure) => !foreign.includes(failure));
  throwFailures(rest, asked, context, "could not be compared");
  const different = steps.filter(({ action }) => action !== "none");
  const groups = groupSteps.filter(({ action }) => action !== "none").map(({ group }) => nameGroup(group));
  if (different.length + foreign.length + groups.length > 0) throw createDifference(different, groups, foreign, asked);
}

function createDifference(
  different: readonly ProjectStep[],
  groups: readonly string[],
  foreign: readonly ProjectFailure[],
  { given, path, count }: Asked,
): ThvError {
  const nameTools = ({ changes }: ProjectStep) =>
    changes.flatMap(({ member }) => (member.startsWith(TOOL_CHANGE) ? [showLine(member.slice(0, 100))] : []));
  const names = different.map((step) => {
    const tools = nameTools(step);
    const more = tools.length > MAX_NAMED ? ", …" : "";
    return tools.length === 0 ? step.name : `${step.name} (${tools.slice(0, MAX_NAMED).join(", ")}${more})`;
  });
  const areToolsAlone =
    groups.length === 0 && different.every((step) => nameTools(step).length === step.changes.length && !step.isStopped);
  const [first] = different;
  const others = foreign.map(({ error }) => ` ${describeError(error)}`).join("");
  const [{ error: firstForeign } = { error: undefined }] = foreign;
  const all = [...names, ...groups, ...foreign.map(({ name }) => name)];
  const differ = all.length === 1 ? "differs" : "differ";
  const hasGroups = all.some((name) => name.startsWith(nameGroup("")));
  const of = hasGroups ? "of the servers and groups" : `of ${formatCount(count)}`;
  const summary = `${all.length} ${of} ${differ} from ${path}: ${all.join("; ")}.${others}`;
  const hint =
    firstForeign instanceof ThvError
      ? firstForeign.hint
      : areToolsAlone && first?.action === "change"
        ? `Review the changes: thv tools accept ${first.name}. Then update the lock file: ${formatUp(given, "--update-lock")}`
        : `Apply the file: ${formatUp(given)}`;
  return new ThvError("PROJECT_DIFFERS", summary, { hint });
}
