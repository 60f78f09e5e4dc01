/** The settings of one server as a text that its user edits: a project file with that server alone. */

import { ThvError } from "../support/errors.ts";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import { PROJECT_LABEL } from "../workload/labels.ts";
import { formatYaml } from "./format-yaml.ts";
import { inspectProject, type ProjectProblem } from "./read-project.ts";
import { toProjectEntry } from "./request-entry.ts";

/** With the values of variables as they are: the text is for the user of the server. Secrets are in it by name. */
export function formatServerText(request: CreateRequest): string {
  const { name = "" } = request;
  const written = toProjectEntry(request, [], { keepsValues: true });
  if (typeof written === "string")
    throw new ThvError("INVALID_ARGUMENT", `"${name}" cannot be edited as a text: ${written}.`);
  return formatYaml({ servers: { [name]: written.entry } });
}

/**
 * @param present Whose settings the text is about.
 * @param path In the folder where relative paths begin.
 * @returns The request with everything that the text says.
 * @throws {ThvError} `INVALID_ARGUMENT` with every problem and its line.
 */
export function readServerText(text: string, present: CreateRequest, path: string): CreateRequest {
  const { name = "" } = present;
  const { project, problems } = inspectProject(text, path);
  if (problems.length > 0) throw createTextError(problems.map(describeProblem));
  const [server, ...others] = project.servers;
  if (!server || others.length > 0) throw createTextError([`it must have one server, "${name}"`]);
  if (server.name !== name)
    throw createTextError([`the server is called "${name}", and cannot be renamed to "${server.name.slice(0, 100)}"`]);
  if (project.groups.length > 0 || server.groups !== undefined)
    throw createTextError(["groups are changed with thv group add and thv group remove"]);
  const { [PROJECT_LABEL]: _own, ...labels } = server.request.labels ?? {};
  const project_label = present.labels?.[PROJECT_LABEL];
  const all = { ...labels, ...(project_label !== undefined && { [PROJECT_LABEL]: project_label }) };
  const { labels: _labels, ...request } = server.request;
  return { ...request, ...(Object.keys(all).length > 0 && { labels: all }) };
}

function describeProblem({ line, sentence }: ProjectProblem): string {
  return line === undefined ? sentence : `line ${line}: ${sentence}`;
}

function createTextError(sentences: readonly string[]): ThvError {
  return new ThvError("INVALID_ARGUMENT", `The text cannot be used: ${[...new Set(sentences)].join("; ")}.`, {
    hint: "What each member means: thv docs project file",
  });
}
