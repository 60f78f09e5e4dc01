/** Reads a project file, and reports all its problems at once, each with its line. */
import { createHash } from "node:crypto";
import { basename, dirname, resolve } from "node:path";
import { quote } from "@toolhive/http/values";
import { type Document, isMap } from "yaml";
import { formatPlainName } from "../client-import/server-name.ts";
import { parseYamlDocument } from "../files/parse-yaml.ts";
import { createLineFinder, describeYamlErrors, type FindLine } from "../files/yaml-lines.ts";
import { formatMountDeclaration, parseMountDeclaration, resolveSource } from "../permissions/mount-declaration.ts";
import type { PermissionProfile } from "../registry/registry-schema.ts";
import { findMemberNames, toFilePath } from "../request/request-members.ts";
import { listProblems } from "../schemas/schema-problems.ts";
import { parseDuration } from "../support/duration.ts";
import { ThvError } from "../support/errors.ts";
import { type LocatedProblem, listSentences, type NameMember } from "../support/located-problem.ts";
import { findRelativeFolder } from "../target/target.ts";
import { listRequestProblems } from "../workload/create-request.ts";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import { PROJECT_LABEL } from "../workload/labels.ts";
import { parseMemory } from "../workload/resource-limits.ts";
import { findNameProblem } from "../workload/workload-name.ts";
import { MAX_PROJECT_SERVERS, type ProjectEntry, type ProjectFile, ProjectFileSchema } from "./project-schema.ts";

/** The reader reports at most this many mistakes. */
const MAX_TOLD = 20;
const MAX_ALIASES = 100;
/** Characters of the folder's name in the label; a value has 63 at most. */
const MAX_FOLDER_NAME = 40;

export interface ProjectServer {
  readonly name: string;
  /** What to run, as the file names it. */
  readonly run: string;
  /** Without groups; its labels say which file it is of. */
  readonly request: CreateRequest;
  /** Absent where the file leaves them alone. */
  readonly groups?: readonly string[];
}

export interface Project {
  readonly path: string;
  readonly label: string;
  readonly servers: readonly ProjectServer[];
}

/** Which file a workload is of, as the value of its label: the folder's name for people, and a digest of the whole path. */
export function formatProjectLabel(path: string): string {
  const folder = formatPlainName(basename(dirname(path))).slice(0, MAX_FOLDER_NAME);
  const digest = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return folder === "" ? digest : `${folder}.${digest}`;
}

/**
 * @param path Absolute, without symbolic links: it identifies the project.
 * @throws {ThvError} `INVALID_ARGUMENT` with every problem and its line. Values of variables are not repeated.
 */
export function readProject(text: string, path: string): Project {
  const document = parseYamlDocument(text);
  // Not a word of another file, which a link may have put here.
  if (!hasServers(document)) throw invalid(path, [{ path: [], sentence: 'line 1: the file is missing "servers"' }]);
  if (document.errors.length > 0)
    throw invalid(
      path,
      describeYamlErrors(document).map((sentence) => ({ path: [], sentence })),
    );
  const findLine = createLineFinder(document, text);
  const value = toPlain(document, path);
  const { servers } = assertProjectFile(value, path, findLine);
  const label = formatProjectLabel(path);
  const problems: LocatedProblem[] = [];
  const read = Object.entries(servers).map(([name, entry]) => readEntry(name, entry, { path, label, problems }));
  if (problems.length > 0) throw invalid(path, problems, findLine);
  return { path, label, servers: read };
}

function assertProjectFile(value: unknown, path: string, findLine: FindLine): ProjectFile {
  const count = countServers(value);
  if (count > MAX_PROJECT_SERVERS) {
    const sentence = `servers names ${count} servers but may name at most ${MAX_PROJECT_SERVERS}`;
    throw invalid(path, [{ sentence, path: ["servers"] }], findLine);
  }
  const problems = listProblems(ProjectFileSchema, value, {
    // `PORT: 8080` is a number to YAML, and `DEBUG: on` may be something else to another reader.
    textHint: "put it in quotes",
  });
  if (problems.length > 0) throw invalid(path, problems, findLine);
  return value as ProjectFile;
}

function hasServers({ contents, errors }: Document.Parsed): boolean {
  if (isMap(contents)) return contents.has("servers");
  // An empty file, or one of comments.
  return contents === null && errors.length === 0;
}

function countServers(value: unknown): number {
  const servers = typeof value === "object" && value !== null && "servers" in value ? value.servers : undefined;
  return typeof servers === "object" && servers !== null ? Object.keys(servers).length : 0;
}

interface Reading {
  readonly path: string;
  readonly label: string;
  readonly problems: LocatedProblem[];
}

function readEntry(name: string, entry: ProjectEntry, { path, label, problems }: Reading): ProjectServer {
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
  const request = toRequest(name, entry, { folder: dirname(path), label, report });
  if (nameProblem === undefined) problems.push(...moveToServer(listRequestProblems(request, nameFileMember), name));
  return { name, run: entry.run, request, ...(entry.groups && { groups: entry.groups }) };
}

/** What a member of a request is called in the file. */
const nameFileMember: NameMember = (path, words) => findMemberNames(path).file ?? words;

/** Problems of a request, at the places in the file that it was made from. */
function moveToServer(problems: readonly LocatedProblem[], name: string): LocatedProblem[] {
  return problems.map(({ path, sentence }) => ({
    path: ["servers", name, ...toFilePath(path)],
    sentence: `servers.${name}: ${sentence}`,
  }));
}

interface Conversion {
  readonly folder: string;
  readonly label: string;
  readonly report: (sentence: string, ...member: string[]) => void;
}

function toRequest(name: string, entry: ProjectEntry, { folder, label, report }: Conversion): CreateRequest {
  const { run, args, env, secrets, permission_profile: profile, permissions, volumes, ...more } = entry;
  const { memory, cpus, pids_limit: pids, sleep_after: sleepAfter, pull, labels, groups: _groups, ...others } = more;
  const { isolate_network: isIsolated, remote_forward_headers: headers, ...rest } = others;
  const { remote_forward_headers_secret: secretHeaders, ...same } = rest;
  if (labels !== undefined && PROJECT_LABEL in labels) report(`the label ${PROJECT_LABEL} is set by thv up`, "labels");
  const whole = (member: string) => (text: string) => makeWhole(text, folder, (sentence) => report(sentence, member));
  const limits = {
    ...(memory !== undefined && { memory_bytes: parseMemory(memory) ?? 0 }),
    ...(cpus !== undefined && { cpus }),
    ...(pids !== undefined && { pids }),
  };
  const forwarded = {
    ...(headers && { add_plaintext_headers: headers }),
    ...(secretHeaders && { add_headers_from_secret: secretHeaders }),
  };
  // A member that is added to the schema alone fails to compile here.
  void (same satisfies { [Member in Exclude<keyof typeof same, keyof CreateRequest>]: never });
  return {
    ...same,
    name,
    image: resolveFolder(run, folder),
    ...(args && { cmd_arguments: args }),
    ...(env && { env_vars: Object.entries(env).map(([key, value]) => `${key}=${value}`) }),
    ...(secrets && { secrets: Object.entries(secrets).map(([target, secret]) => ({ name: secret, target })) }),
    ...(profile && { permission_profile: { name: profile } }),
    ...(permissions && { permission_profile: withWholeMounts(permissions, whole("permissions")) }),
    ...(isIsolated && { network_isolation: true }),
    ...(volumes && { volumes: volumes.map(whole("volumes")) }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(sleepAfter !== undefined && { sleep_after_seconds: Math.round((parseDuration(sleepAfter) ?? 0) / 1_000) }),
    ...(pull && { pull_policy: pull }),
    ...(Object.keys(forwarded).length > 0 && { header_forward: forwarded }),
    labels: { ...labels, [PROJECT_LABEL]: label },
  };
}

/** The supervisor is somewhere else than the file. */
function resolveFolder(run: string, folder: string): string {
  const relative = findRelativeFolder(run);
  return relative === undefined ? run : `go://${resolve(folder, relative)}`;
}

function withWholeMounts(profile: PermissionProfile, makeItWhole: (text: string) => string): PermissionProfile {
  const { read, write } = profile;
  return {
    ...profile,
    ...(read && { read: read.map(makeItWhole) }),
    ...(write && { write: write.map(makeItWhole) }),
  };
}

function makeWhole(text: string, folder: string, report: (sentence: string) => void): string {
  const declaration = parseMountDeclaration(text);
  if (typeof declaration !== "string") return formatMountDeclaration(resolveSource(declaration, folder));
  report(declaration);
  // Reported once: this value in its place is valid.
  return "/absent:/absent";
}

function toPlain(document: Document.Parsed, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
  } catch {
    // The only thing that it throws for.
    throw invalid(path, [{ path: [], sentence: "it uses too many aliases" }]);
  }
}

/** @param findLine Where the file could be read, so that each problem has its line. */
function invalid(path: string, problems: readonly LocatedProblem[], findLine?: FindLine): ThvError {
  const sentences = listSentences(
    findLine === undefined
      ? problems
      : problems.map((problem) => ({ ...problem, sentence: `line ${findLine(problem.path)}: ${problem.sentence}` })),
  );
  const shown = [...new Set(sentences)].slice(0, MAX_TOLD);
  const more = problems.length > MAX_TOLD ? `; and ${problems.length - MAX_TOLD} more` : "";
  return new ThvError("INVALID_ARGUMENT", `${path} cannot be used: ${shown.join("; ")}${more}.`, {
    hint: "What each member means: thv docs project file",
    problems,
  });
}
