/** Reads a project file, and reports all its problems at once, each with its line. */
import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { isRecord, quote } from "@toolhive/http/values";
import { type Document, isMap } from "yaml";
import { listToolProblems } from "../access/tool-selection.ts";
import { formatPlainName } from "../client-import/server-name.ts";
import { parseYamlDocument, readYamlValue } from "../files/parse-yaml.ts";
import { createLineFinder, describeYamlErrors, type FindLine } from "../files/yaml-lines.ts";
import { listRemoteSecrets } from "../remote/remote-schema.ts";
import { findMemberNames, toFilePath } from "../request/request-members.ts";
import { checkValue } from "../schemas/check-value.ts";
import { listProblems } from "../schemas/schema-problems.ts";
import { ThvError } from "../support/errors.ts";
import { type LocatedProblem, listSentences, type NameMember } from "../support/located-problem.ts";
import { listRequestProblems } from "../workload/create-request.ts";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import { findNameProblem } from "../workload/workload-name.ts";
import { toRequest } from "./entry-request.ts";
import { mergeProjects, moveProject } from "./merge-project.ts";
import {
  MAX_EXTENDED,
  MAX_PROJECT_SERVERS,
  type ProjectEntry,
  type ProjectFile,
  ProjectFileSchema,
  type ProjectGroupEntry,
} from "./project-schema.ts";

/** The reader reports at most this many mistakes. */
const MAX_LISTED = 20;
/** Characters of the folder's name in the label; a value has 63 at most. */
const MAX_FOLDER_NAME = 40;
/** A label of a file whose folder has no plain name. */
const DIGEST = /^[0-9a-f]{16}$/;
/** The group of servers that are in no other. */
const DEFAULT = "default";

export interface ProjectServer {
  readonly name: string;
  /** What to run, as the file names it. */
  readonly run: string;
  /** Without groups; its labels say which file it is of. */
  readonly request: CreateRequest;
  /** Absent where the file leaves them alone. */
  readonly groups?: readonly string[];
}

/** What the file says of a group; members that it leaves out stay as they are. */
export interface ProjectGroup extends ProjectGroupEntry {
  readonly name: string;
}

export interface Project {
  readonly path: string;
  /** Absent where the file has none: then its servers belong to its path. */
  readonly name?: string;
  readonly label: string;
  /** Paths of the files that it extends. */
  readonly bases?: readonly string[];
  readonly servers: readonly ProjectServer[];
  readonly groups: readonly ProjectGroup[];
}

/** A problem of a file, with its line, counted from 1, where that is known. */
export interface ProjectProblem extends LocatedProblem {
  readonly line?: number;
  /** The path of the file, if it is one that the project file extends. */
  readonly file?: string;
}

/** A project file that another one extends. */
export interface ProjectBase {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

export interface ProjectReading {
  /** Without what has problems. */
  readonly project: Project;
  readonly problems: readonly ProjectProblem[];
}

/**
 * Whose a workload is, as the value of its label: the project's name; or the folder's name for people, and a digest of the whole
 * path of the file. Only the latter has a dot, or is a digest.
 */
export function formatProjectLabel(path: string, name?: string): string {
  if (name !== undefined) return name;
  const folder = formatPlainName(basename(dirname(path))).slice(0, MAX_FOLDER_NAME);
  const digest = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return folder === "" ? digest : `${folder}.${digest}`;
}

/** @returns The text where it can be the name of a project. A label that is made of a path cannot. */
export function readProjectName(text: string): string | undefined {
  return !DIGEST.test(text) && checkValue(ProjectFileSchema.properties.name, text) ? text : undefined;
}

/**
 * @param path Absolute, without symbolic links: it identifies a project without a name.
 * @param bases The files that it extends, the strongest last.
 * @throws {ThvError} `INVALID_ARGUMENT` with every problem and its line. Values of variables are not repeated.
 */
export function readProject(text: string, path: string, bases?: readonly ProjectBase[]): Project {
  const { project, problems } = inspectProject(text, path, bases);
  if (problems.length > 0) throw createInvalidError(path, problems);
  return project;
}

/**
 * @param path Of the file, absolute; absent for a text that is in none: then relative paths are problems.
 * @param bases As for `readProject`; absent where no other file can be read.
 */
export function inspectProject(text: string, path?: string, bases?: readonly ProjectBase[]): ProjectReading {
  const root = parseFile(text);
  if ("problems" in root) return { project: createEmpty(path), problems: root.problems };
  const fail = (problems: readonly ProjectProblem[]) => ({ project: createEmpty(path), problems });
  if (bases === undefined && listExtendedFiles(root.value).length > 0) {
    const sentence = "extends: other files are read beside a project file in a folder, and not here: write one file";
    return fail([{ path: ["extends"], line: root.findLine(["extends"]), sentence }]);
  }
  const parsed = (bases ?? []).map((base) => ({ base, file: parseFile(base.text) }));
  const broken = parsed.flatMap(({ base, file }) =>
    "problems" in file ? file.problems.map((problem) => ({ ...problem, file: base.path })) : [],
  );
  if (broken.length > 0) return fail(broken);
  const files = parsed.flatMap(({ base, file }) => ("problems" in file ? [] : [{ ...file, path: base.path }]));
  const locate = createLocator([...files, root]);
  const folder = dirname(path ?? "");
  const value = [...files.map((file) => moveProject(file.value, dirname(file.path), folder)), root.value].reduce(
    mergeProjects,
  );
  const problems = listFileProblems(value);
  if (problems.length > 0) return fail(problems.map(locate));
  const reading = readFile(value as ProjectFile, path);
  const named = files.map((file) => file.path);
  const project = { ...reading.project, ...(named.length > 0 && { bases: named }) };
  return { project, problems: reading.problems.map(locate) };
}

/** The files that a text says it extends, as it names them; none where it cannot be read. */
export function listExtended(text: string): string[] {
  const file = parseFile(text);
  return "problems" in file ? [] : listExtendedFiles(file.value);
}

function listExtendedFiles(value: unknown): string[] {
  const named: unknown = isRecord(value) ? value.extends : undefined;
  return Array.isArray(named) ? named.filter((each) => typeof each === "string").slice(0, MAX_EXTENDED) : [];
}

interface ParsedFile {
  readonly value: unknown;
  readonly findLine: FindLine;
}

function parseFile(text: string): ParsedFile | { readonly problems: readonly ProjectProblem[] } {
  const document = parseYamlDocument(text);
  // Not a word of another file, which a link may have put here.
  if (!hasServers(document)) return { problems: [{ path: [], line: 1, sentence: 'the file is missing "servers"' }] };
  if (document.errors.length > 0) return { problems: describeYamlErrors(document).map(readYamlProblem) };
  const value = readYamlValue(document);
  if (value === undefined) return { problems: [{ path: [], sentence: "it uses too many aliases" }] };
  return { value, findLine: createLineFinder(document, text) };
}

/** Finds the file that says most of what a problem is about, the strongest first, and the line there. */
function createLocator(
  files: readonly (ParsedFile & { readonly path?: string })[],
): (problem: LocatedProblem) => ProjectProblem {
  return (problem) => {
    const [found] = [...files]
      .reverse()
      .map((file) => ({ file, depth: countKnown(file.value, problem.path) }))
      .sort((left, right) => right.depth - left.depth);
    if (found === undefined) return problem;
    const { path, findLine } = found.file;
    return { ...problem, line: findLine(problem.path), ...(path !== undefined && { file: path }) };
  };
}

/** How many members of a path a value has. */
function countKnown(value: unknown, path: readonly string[]): number {
  let known = 0;
  for (let inner = value; known < path.length; known += 1) {
    const name = path[known] ?? "";
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, name)) break;
    inner = (inner as Record<string, unknown>)[name];
  }
  return known;
}

/** Names of the stored secrets that its servers need, sorted. */
export function listProjectSecrets({ servers }: Project): string[] {
  const names = servers.flatMap(({ request }) => [...(request.secrets ?? []), ...listRemoteSecrets(request)]);
  return [...new Set(names.map(({ name }) => name))].sort();
}

function readFile(file: ProjectFile, path: string | undefined): ProjectReading {
  const { name, servers, groups = {} } = file;
  const label = formatProjectLabel(path ?? "", name);
  const problems: LocatedProblem[] = [];
  if (name !== undefined && DIGEST.test(name))
    problems.push({ path: ["name"], sentence: `name: ${quote(name, 60)} reads like a digest: choose another one` });
  const folder = path === undefined ? undefined : dirname(path);
  const read = Object.entries(servers).map(([server, entry]) => readEntry(server, entry, { folder, label, problems }));
  const readGroups = Object.entries(groups).map(([group, entry]) => readGroup(group, entry, problems));
  const project = {
    ...createEmpty(path),
    ...(name !== undefined && { name }),
    label,
    servers: read,
    groups: readGroups,
  };
  return { project, problems };
}

function createEmpty(path = ""): Project {
  return { path, label: formatProjectLabel(path), servers: [], groups: [] };
}

function listFileProblems(value: unknown): LocatedProblem[] {
  const count = countServers(value);
  if (count > MAX_PROJECT_SERVERS) {
    const sentence = `servers names ${count} servers but may name at most ${MAX_PROJECT_SERVERS}`;
    return [{ sentence, path: ["servers"] }];
  }
  return listProblems(ProjectFileSchema, value, {
    // `PORT: 8080` is a number to YAML, and `DEBUG: on` may be something else to another reader.
    textHint: "put it in quotes",
  });
}

function hasServers({ contents, errors }: Document.Parsed): boolean {
  if (isMap(contents)) return contents.has("servers") || contents.has("extends");
  // An empty file, or one of comments.
  return contents === null && errors.length === 0;
}

function countServers(value: unknown): number {
  const servers = typeof value === "object" && value !== null && "servers" in value ? value.servers : undefined;
  return typeof servers === "object" && servers !== null ? Object.keys(servers).length : 0;
}

interface Reading {
  readonly folder: string | undefined;
  readonly label: string;
  readonly problems: LocatedProblem[];
}

function readEntry(name: string, entry: ProjectEntry, { folder, label, problems }: Reading): ProjectServer {
  const report = (sentence: string, ...member: string[]) =>
    problems.push({
      sentence: `${["servers", name, ...member].join(".")}: ${sentence}`,
      path: ["servers", name, ...member],
    });
  const nameProblem = findNameProblem(name);
  if (nameProblem !== undefined) report(nameProblem);
  for (const group of entry.groups ?? []) {
    const problem = findNameProblem(group, process.platform, "group");
    if (problem !== undefined) report(`${quote(group, 60)}: ${problem}`, "groups");
  }
  for (const member of ["env", "secrets"] as const) {
    for (const variable of Object.keys(entry[member] ?? {})) {
      if (variable === "" || variable.includes("="))
        report(`${JSON.stringify(variable)} is no name of a variable`, member);
    }
  }
  if (entry.permission_profile !== undefined && entry.permissions !== undefined)
    report("permission_profile and permissions are both given, and only one can be", "permissions");
  const request = toRequest(name, entry, { folder, label, report });
  if (nameProblem === undefined) problems.push(...moveToServer(listRequestProblems(request, nameFileMember), name));
  return { name, run: entry.run, request, ...(entry.groups && { groups: entry.groups }) };
}

function readGroup(name: string, entry: ProjectGroupEntry, problems: LocatedProblem[]): ProjectGroup {
  const report = (sentence: string, ...member: string[]) =>
    problems.push({
      sentence: `${["groups", name, ...member].join(".")}: ${sentence}`,
      path: ["groups", name, ...member],
    });
  const nameProblem = findNameProblem(name, process.platform, "group");
  if (nameProblem !== undefined) report(nameProblem);
  for (const { path, sentence } of listToolProblems(entry)) report(sentence, ...path);
  const { clients: _clients, ...others } = entry;
  const [unused] = Object.keys(others);
  if (name === DEFAULT && unused !== undefined) report("this group has no URL of its own, only clients", unused);
  return { name, ...entry };
}

/** What a member of a request is called in the file. */
const nameFileMember: NameMember = (path, words) => {
  const { file } = findMemberNames(path);
  return file === "access" ? ["access", ...path].join(".") : (file ?? words);
};

/** Problems of a request, at the places in the file that it was made from. */
function moveToServer(problems: readonly LocatedProblem[], name: string): LocatedProblem[] {
  return problems.map(({ path, sentence }) => ({
    path: ["servers", name, ...toFilePath(path)],
    sentence: `servers.${name}: ${sentence}`,
  }));
}

/** The sentence of a problem of the syntax has its line already. */
function readYamlProblem(sentence: string): ProjectProblem {
  const [, line, rest] = /^line (\d+): (.*)$/s.exec(sentence) ?? [];
  return line === undefined ? { path: [], sentence } : { path: [], line: Number(line), sentence: rest ?? "" };
}

function createInvalidError(path: string, found: readonly ProjectProblem[]): ThvError {
  const problems = found.map(({ line, file, path: member, sentence }) => {
    const place = [file, line === undefined ? undefined : `line ${line}`].filter((part) => part !== undefined);
    return { path: member, sentence: place.length === 0 ? sentence : `${place.join(", ")}: ${sentence}` };
  });
  const shown = [...new Set(listSentences(problems))].slice(0, MAX_LISTED);
  const more = problems.length > MAX_LISTED ? `; and ${problems.length - MAX_LISTED} more` : "";
  return new ThvError("INVALID_ARGUMENT", `${path} cannot be used: ${shown.join("; ")}${more}.`, {
    hint: "What each member means: thv docs project file",
    problems: found.map(({ path: member, sentence }) => ({ path: member, sentence })),
  });
}
