/** What a step of `thv up` would do or has done with a server or a group: a line for people, and a result for programs. */
import { nameSetting } from "@toolhive/core/setting-changes";
import { showLine } from "../../terminal/shown-text.ts";
import type { WorkloadView } from "../shared/await-status.ts";
import { formatGrants, type GrantedServer } from "../shared/questions/confirm-grants.ts";
import { formatSettingChanges, type SettingChange } from "../shared/settings/setting-changes.ts";
import { type GroupStep, nameGroup } from "./compare-groups.ts";
import type { ProjectStep } from "./compare-project.ts";

/** A server after its step. */
export interface DoneStep extends ProjectStep {
  readonly workload: WorkloadView;
}

export interface Outcome {
  readonly line: string;
  readonly result: {
    readonly name: string;
    readonly action: ProjectStep["action"];
    readonly changes: readonly SettingChange[];
    readonly url?: string;
    readonly grants?: ProjectStep["grants"];
    readonly allowed?: boolean;
    readonly warnings?: readonly string[];
  };
}

export function describePlanned(step: ProjectStep, unapproved: readonly GrantedServer[]): Outcome {
  const { name, action, body, isStopped, grants = [], warnings } = step;
  const asked = findAsked(name, unapproved);
  const gets =
    action === "create" && !asked ? formatGets("With your permission, it gets:", grants) : formatAsked(asked);
  const warned = warnings.map((warning) => `\n  Warning: ${showLine(warning)}`).join("");
  const words = { missing: `is missing: ${body.image}`, differs: isStopped ? "differs, and is stopped" : "differs" };
  const line = formatPlanned(name, step, words, `${gets}${warned}`);
  return { line, result: { ...pickResult(name, step), ...pickGrants(step, asked), ...pickWarnings(step) } };
}

export function describePlannedGroup(step: GroupStep, unapproved: readonly GrantedServer[]): Outcome {
  const title = nameGroup(step.group);
  const asked = findAsked(title, unapproved);
  const line = formatPlanned(title, step, { missing: "is missing.", differs: "differs" }, formatAsked(asked));
  return { line, result: { ...pickResult(step.group, step), ...pickGrants(step, asked) } };
}

export function describeDone(step: DoneStep): Outcome {
  const { name, action, changes, workload } = step;
  const { url, status } = workload;
  const waits = status === "unauthenticated" ? `; it waits for a sign-in: thv auth login ${name}` : "";
  const result = { name, action, changes, url };
  return { result, line: `${name} ${DONE[action]}${formatMembers(changes)}: ${url}${waits}` };
}

export function describeDoneGroup(step: GroupStep): Outcome {
  const { group, action, changes, url } = step;
  const end = url === undefined ? "." : `: ${url}`;
  const line = `${nameGroup(group)} ${DONE[action]}${formatMembers(changes)}${end}`;
  return { result: pickResult(group, step), line };
}

const DONE: Readonly<Record<ProjectStep["action"], string>> = {
  create: "is created",
  change: "is changed",
  start: "is started",
  none: "matches the file",
};

type Step = Pick<ProjectStep, "action" | "changes" | "url" | "grants">;

function formatPlanned(
  title: string,
  { action, changes }: Pick<Step, "action" | "changes">,
  { missing, differs }: { readonly missing: string; readonly differs: string },
  gets: string,
): string {
  switch (action) {
    case "create":
      return `+ ${title} ${missing}${gets}`;
    case "change":
      return `~ ${[`${title} ${differs}:`, ...formatSettingChanges(changes)].join("\n")}${gets}`;
    case "start":
      return `~ ${title} is stopped.`;
    case "none":
      return `  ${title} matches the file.`;
  }
}

function formatMembers(changes: readonly SettingChange[]): string {
  const names = changes.map(({ member }) => showLine(nameSetting(member.slice(0, 200))));
  return names.length > 0 ? ` (${names.join(", ")})` : "";
}

function findAsked(title: string, unapproved: readonly GrantedServer[]): GrantedServer | undefined {
  return unapproved.find((each) => each.name === title);
}

function formatAsked(asked: GrantedServer | undefined): string {
  return asked ? formatGets("thv up asks for your permission for:", asked.grants) : "";
}

function formatGets(words: string, grants: GrantedServer["grants"]): string {
  return grants.length > 0 ? [`\n  ${words}`, ...formatGrants(grants)].join("\n") : "";
}

function pickResult(name: string, { action, changes, url }: Step) {
  return { name, action, changes, ...(url !== undefined && { url }) };
}

function pickGrants({ grants }: Step, asked: GrantedServer | undefined) {
  return grants && { grants, allowed: asked === undefined };
}

function pickWarnings({ grants, warnings }: ProjectStep) {
  return grants && warnings.length > 0 ? { warnings } : {};
}
