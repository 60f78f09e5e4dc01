/** What runs as the text of a project file, and what that file does not hold. */

import { describeError, ThvError } from "../support/errors.ts";
import { listSentences } from "../support/located-problem.ts";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import { formatYaml } from "./format-yaml.ts";
import { SCHEMA_LINE } from "./project-json-schema.ts";
import { MAX_PROJECT_SERVERS, type ProjectEntry, type ProjectFile, type ProjectGroupEntry } from "./project-schema.ts";
import { listProjectSecrets, readProject } from "./read-project.ts";
import { type LeftOut, toProjectEntry } from "./request-entry.ts";

/** One server that runs, and the groups that it is in. */
export interface SetServer {
  readonly request: CreateRequest;
  readonly groups: readonly string[];
  /** What its request does not have any more. */
  readonly leftOut?: readonly LeftOut[];
}

/** One group with its choices and its clients. */
export type SetGroup = ProjectGroupEntry & { readonly name: string };

export interface ServerSet {
  readonly name?: string | undefined;
  readonly servers: readonly SetServer[];
  readonly groups: readonly SetGroup[];
}

/** One thing that is not in the file: of a server, of a group, or of the whole. */
export interface LeftOutOfSet extends LeftOut {
  readonly server?: string;
  readonly group?: string;
}

export interface FormattedProject {
  /** The whole file. */
  readonly text: string;
  readonly servers: readonly string[];
  readonly groups: readonly string[];
  /** Names of the secrets that its servers need. */
  readonly secrets: readonly string[];
  readonly leftOut: readonly LeftOutOfSet[];
}

/** Of the file to be, for checks that what is written can be read. */
const PATH = "/thv.yaml";

/** @param damaged Servers without readable settings. @throws {ThvError} `INVALID_ARGUMENT` for more servers than a file may have. */
export function formatProject(
  { name, servers, groups }: ServerSet,
  damaged: readonly LeftOutOfSet[] = [],
): FormattedProject {
  if (servers.length > MAX_PROJECT_SERVERS) {
    throw new ThvError(
      "INVALID_ARGUMENT",
      `There are ${servers.length} servers, and a project file has at most ${MAX_PROJECT_SERVERS}.`,
      { hint: "Export the servers of one group: thv export --group NAME" },
    );
  }
  const entries: Record<string, ProjectEntry> = {};
  const leftOut: LeftOutOfSet[] = [...damaged];
  for (const { request, groups: of, leftOut: lost = [] } of servers) {
    const { name: server = "" } = request;
    const written = toProjectEntry(request, of);
    const reason = typeof written === "string" ? written : findMistake({ servers: { [server]: written.entry } });
    if (reason !== undefined || typeof written === "string") {
      leftOut.push({ server, member: "", reason: reason ?? "" });
      continue;
    }
    entries[server] = written.entry;
    leftOut.push(...[...lost, ...written.leftOut].map((each) => ({ server, ...each })));
  }
  const described: Record<string, ProjectGroupEntry> = {};
  for (const { name: group, ...entry } of groups) {
    const reason = findMistake({ servers: {}, groups: { [group]: entry } });
    if (reason === undefined) described[group] = entry;
    else leftOut.push({ group, member: "", reason });
  }
  const nameProblem = name === undefined ? undefined : findMistake({ name, servers: {} });
  if (nameProblem !== undefined) leftOut.push({ member: "name", reason: nameProblem });
  const file: ProjectFile = {
    ...(name !== undefined && nameProblem === undefined && { name }),
    servers: entries,
    ...(Object.keys(described).length > 0 && { groups: described }),
  };
  const text = formatFile(file, leftOut);
  const secrets = listProjectSecrets(readProject(text, PATH));
  return { text, servers: Object.keys(entries), groups: Object.keys(described), secrets, leftOut };
}

/** The text of a project file. @param leftOut Named in comments at its beginning. */
export function formatFile(file: ProjectFile, leftOut: readonly LeftOutOfSet[] = []): string {
  // Without references between equal values: each server is read by itself.
  const text = formatYaml(file);
  const head = SCHEMA_LINE === undefined ? "" : `${SCHEMA_LINE}\n`;
  return `${head}${formatComments(leftOut)}${text}`;
}

/** One thing that is left out, as a line for people. */
export function describeLeftOut({ server, group, member, reason }: LeftOutOfSet): string {
  const owner = server ?? (group === undefined ? undefined : `group ${group}`);
  const what = [owner, member].filter((part) => part !== undefined && part !== "").join(": ");
  return `${what}: ${reason}`;
}

/** Whoever opens the file learns what it does not hold. Control characters would begin a line of their own. */
function formatComments(leftOut: readonly LeftOutOfSet[]): string {
  if (leftOut.length === 0) return "";
  const lines = leftOut.map((each) => `#   ${describeLeftOut(each).replace(/\p{Cc}/gu, " ")}\n`);
  return `# Not in this file:\n${lines.join("")}`;
}

/** Only what can be read again is written. @returns Why it cannot be. */
function findMistake(file: ProjectFile): string | undefined {
  try {
    readProject(formatFile(file), PATH);
    return undefined;
  } catch (error) {
    const problems = error instanceof ThvError ? listSentences(error.problems) : [];
    return problems.length > 0 ? problems.join("; ") : describeError(error);
  }
}
