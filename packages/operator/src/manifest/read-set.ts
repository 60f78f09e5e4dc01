/** The servers and groups of a manifest, or of a namespace, as a set for a project file. */
import { type LeftOutOfSet, MAX_PROJECT_SERVERS, type ServerSet, type SetGroup, type SetServer } from "@toolhive/core";
import { describeError, ThvError } from "@toolhive/core/errors";
import { type JsonObject, KIND, MCP_GROUP_KIND, REMOTE_KIND, TOOL_CONFIG_KIND } from "../contract/index.ts";
import { checkObject, isOfGroup } from "./check-object.ts";
import type { ManifestNote } from "./manifest-note.ts";
import { nameSecrets } from "./name-secrets.ts";
import { isServer, listMissingKinds, type ManifestFile, readServer, readTools } from "./read-manifest.ts";

export interface ReadSet {
  readonly set: ServerSet;
  /** What is not in the set, beside what its servers say themselves. */
  readonly leftOut: readonly LeftOutOfSet[];
  /** What its authors should write in another way; a sentence each. */
  readonly notes: readonly string[];
}

/**
 * An object that cannot be used here keeps no other from being read: it is left out with its reasons.
 *
 * @throws {ThvError} `INVALID_ARGUMENT` where there is no server at all, or there are more than a project file has.
 */
export function readManifestSet(objects: readonly JsonObject[], what: string): ReadSet {
  const found = objects.filter(isServer);
  assertCount(found.length, what);
  const file = { objects, what, nameSecret: nameSecrets(found) };
  const leftOut: LeftOutOfSet[] = [];
  const notes: string[] = [];
  const groups = readGroups(file, leftOut);
  const servers: SetServer[] = [];
  for (const object of found) {
    const name = nameObject(object);
    if (servers.some(({ request }) => request.name === name)) {
      leftOut.push({ server: name, member: "", reason: `another ${KIND} or ${REMOTE_KIND} of ${what} has this name` });
      continue;
    }
    const read = attempt(() => readServer(object, file), what);
    if (typeof read === "string") {
      leftOut.push({ server: name, member: "", reason: read });
      continue;
    }
    const { request, group } = read;
    notes.push(...listSentences(read.notes).map((sentence) => `${name}: ${sentence}`));
    servers.push({
      request: { ...request, name },
      groups: group === undefined || groups.refused.has(group) ? [] : [group],
      leftOut: listLost(read.notes),
    });
  }
  leftOut.push(...listLost(listMissingKinds(objects)), ...listUnused(objects));
  return { set: { servers, groups: groups.read }, leftOut, notes };
}

function assertCount(count: number, what: string): void {
  if (count > 0 && count <= MAX_PROJECT_SERVERS) return;
  const problem = count === 0 ? `no ${KIND} or ${REMOTE_KIND}` : `${count} servers`;
  throw new ThvError("INVALID_ARGUMENT", `${what} has ${problem}.`, {
    hint: `A project file has 1 to ${MAX_PROJECT_SERVERS} servers: use a part of the objects`,
  });
}

function nameObject({ metadata }: JsonObject): string {
  return typeof metadata?.name === "string" && metadata.name !== "" ? metadata.name : "server";
}

/** @returns Why it cannot be used, without a full stop. */
function attempt<Value>(work: () => Value, what: string): Value | string {
  try {
    return work();
  } catch (error) {
    const beginning = `${what} cannot be used: `;
    const reason = describeError(error).replace(/\.$/, "");
    return reason.startsWith(beginning) ? reason.slice(beginning.length) : reason;
  }
}

interface Groups {
  readonly read: readonly SetGroup[];
  readonly refused: ReadonlySet<string>;
}

/** What would let more callers in here than on the cluster. */
const LIMITS = ["oidcConfig", "authzConfig"] as const;
/** What groups of this machine do not have. */
const WITHOUT_COUNTERPART = ["description", "audit", "telemetry", "resources", "resourceOverrides"] as const;

function readGroups(file: ManifestFile, leftOut: LeftOutOfSet[]): Groups {
  const read: SetGroup[] = [];
  const refused = new Set<string>();
  for (const object of file.objects.filter((each) => isOfGroup(each) && each.kind === MCP_GROUP_KIND)) {
    const name = nameObject(object);
    const group = read.some((other) => other.name === name)
      ? `another ${MCP_GROUP_KIND} of ${file.what} has this name`
      : attempt(() => readGroup(name, object, file), file.what);
    if (typeof group === "string") {
      refused.add(name);
      leftOut.push({ group: name, member: "", reason: group });
      continue;
    }
    read.push(group);
    const lost = WITHOUT_COUNTERPART.filter((member) => object.spec?.[member] !== undefined);
    leftOut.push(...lost.map((member) => ({ group: name, member, reason: "a group of this machine has none" })));
  }
  for (const { name } of read) refused.delete(name);
  return { read, refused };
}

/** @throws {ThvError} For what is wrong with it, and for what would be less safe here. */
function readGroup(name: string, object: JsonObject, file: ManifestFile): SetGroup {
  const { spec = {} } = object;
  const { problems } = checkObject(object);
  if (problems.length > 0) throw new ThvError("INVALID_ARGUMENT", `${problems.join("; ")}.`);
  const limits = LIMITS.filter((member) => spec[member] !== undefined);
  if (limits.length > 0) {
    const reason = `${limits.join(" and ")} limit who may call it, and a group of this machine has no such limit`;
    throw new ThvError("NOT_SUPPORTED", `${reason}.`);
  }
  const { naming } = spec;
  return { name, ...(naming && naming !== "auto" && { naming }), ...readTools(file.objects, spec, file.what) };
}

/** Objects that no server of the set names. Secrets are named by none: their values are not read. */
function listUnused(objects: readonly JsonObject[]): LeftOutOfSet[] {
  const used = objects.map(({ spec }) => spec?.toolConfigRef?.name);
  const configs = objects.filter((each) => isOfGroup(each) && each.kind === TOOL_CONFIG_KIND);
  const unused = configs.filter((each) => !used.includes(nameObject(each)));
  const secrets = objects.filter(({ kind }) => kind === "Secret");
  return [
    ...unused.map((each) => ({ member: `${TOOL_CONFIG_KIND} ${nameObject(each)}`, reason: "nothing here names it" })),
    ...secrets.map((each) => ({ member: `Secret ${nameObject(each)}`, reason: "its values are not read" })),
  ];
}

function listSentences(notes: readonly ManifestNote[]): string[] {
  return notes.flatMap((note) => ("sentence" in note && note.lost === undefined ? [note.sentence] : []));
}

function listLost(notes: readonly ManifestNote[]): { member: string; reason: string }[] {
  return notes.flatMap(({ lost = [], ...note }) =>
    "reason" in note && note.reason !== undefined ? lost.map((member) => ({ member, reason: `${note.reason}` })) : [],
  );
}
