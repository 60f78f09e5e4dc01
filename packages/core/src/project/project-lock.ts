/** The lock file beside a project file: what each server ran from when it was last written, for everybody else to run the same. */

import * as Type from "typebox";
import { createJsonLineFinder, describeJsonFault } from "../files/json-fault.ts";
import type { EntryOrigin } from "../registry/catalog/named-sources.ts";
import { DEFAULT_SOURCE } from "../registry/catalog/registry-source.ts";
import { describePattern } from "../schemas/pattern-words.ts";
import { listProblems } from "../schemas/schema-problems.ts";
import { ThvError } from "../support/errors.ts";
import {
  addLines,
  describeWhole,
  type LocatedProblem,
  listSentences,
  moveProblems,
} from "../support/located-problem.ts";

const LOCK_VERSION = 1;

const EntrySchema = Type.Object(
  {
    run: Type.String({ minLength: 1 }),
    image: Type.Optional(Type.String({ minLength: 1 })),
    digest: Type.Optional(
      Type.String({ pattern: describePattern("^sha256:[0-9a-f]{64}$", "sha256: and 64 small hexadecimal digits") }),
    ),
    package: Type.Optional(Type.String({ minLength: 1 })),
    version: Type.Optional(Type.String({ minLength: 1 })),
    /** The further registry source that its entry is from: its name, and its address if others can have that, too. */
    registry_source: Type.Optional(
      Type.Object(
        { name: Type.String({ minLength: 1 }), url: Type.Optional(Type.String({ minLength: 1 })) },
        { additionalProperties: false },
      ),
    ),
    /** SHA-256 of the definition of each tool, by the server's own name. */
    tools: Type.Optional(
      Type.Record(
        Type.String(),
        Type.String({ pattern: describePattern("^[0-9a-f]{64}$", "64 small hexadecimal digits") }),
      ),
    ),
  },
  { additionalProperties: false },
);

const LockSchema = Type.Object(
  { lock_version: Type.Integer(), servers: Type.Record(Type.String(), EntrySchema) },
  { additionalProperties: false },
);

export type LockEntry = Readonly<Type.Static<typeof EntrySchema>>;
/** SHA-256 of definitions of tools, by name. */
export type ToolHashes = Readonly<Record<string, string>>;
export type LockEntries = Readonly<Record<string, LockEntry>>;

/** The lock file's name beside a project file. */
export function placeLock(path: string): string {
  return `${path.replace(/\.ya?ml$/i, "")}.lock`;
}

/**
 * @param path Of the file, for the message. @param owner The member of a request that holds it.
 * @throws {ThvError} `INVALID_ARGUMENT` naming the file and all that is wrong with it.
 */
export function readLock(text: string, path: string, ...owner: readonly string[]): LockEntries {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid(path, moveProblems(describeWhole(describeJsonFault(text)), ...owner));
  }
  const version = typeof value === "object" && value !== null && "lock_version" in value ? value.lock_version : 0;
  if (typeof version === "number" && version > LOCK_VERSION) {
    throw new ThvError("INVALID_ARGUMENT", `${path} has lock_version ${version}, and this thv knows ${LOCK_VERSION}.`, {
      hint: "Use a newer thv, or write the lock again: thv up --update-lock",
    });
  }
  const problems = listProblems(LockSchema, value);
  if (problems.length > 0) {
    throw invalid(path, moveProblems(addLines(problems, createJsonLineFinder(text)), ...owner));
  }
  return (value as Type.Static<typeof LockSchema>).servers;
}

/** Sorted, so that the same content is the same text. */
export function formatLock(entries: LockEntries): string {
  const sorted = sortMembers(entries).map(([name, { tools, ...entry }]) => [
    name,
    { ...entry, ...(tools && { tools: Object.fromEntries(sortMembers(tools)) }) },
  ]);
  const servers = Object.fromEntries(sorted);
  return `${JSON.stringify({ lock_version: LOCK_VERSION, servers }, null, 2)}\n`;
}

/** What a server ran from, as far as it is known. `undefined` for one that runs elsewhere. */
export function describeLocked(
  run: string,
  plan: {
    readonly image: string;
    readonly image_from: string;
    readonly package?: string | undefined;
    readonly registry_source?: string | undefined;
  },
  digests: readonly string[] = [],
): LockEntry | undefined {
  const source = readSource(plan.registry_source);
  const ofSource = source && { registry_source: source };
  // Its address is in the project file, or in the entry of the source.
  if (plan.image_from === "remote") return ofSource && { run, ...ofSource };
  const { image, package: target } = plan;
  if (target !== undefined) {
    // A scope of npm begins with the same character.
    const version = /[^/@]@([^@/]+)$/.exec(target.split("#")[0] ?? "")?.[1];
    return { run, package: target, ...(version !== undefined && { version }), ...ofSource };
  }
  const digest = digests.map((each) => each.slice(each.lastIndexOf("@") + 1)).sort()[0];
  return { run, image, ...(digest !== undefined && { digest }), ...ofSource };
}

/** @param text Of a plan: the name of a source, and its place in brackets. */
function readSource(text: string | undefined): LockEntry["registry_source"] {
  const [, name, location = ""] = /^(\S+) \((.*)\)$/s.exec(text ?? "") ?? [];
  return name === undefined ? undefined : pickPublic({ name, location });
}

/** Without a sign-in, and without a path, which is one of this machine alone. */
function pickPublic({ name, location }: EntryOrigin): NonNullable<LockEntry["registry_source"]> {
  const url = /^https?:/i.test(location) && URL.canParse(location) ? new URL(location) : undefined;
  if (url === undefined) return { name };
  url.username = "";
  url.password = "";
  return { name, url: url.href };
}

/** The name of a source is each machine's own; its address is the same everywhere. */
function isSameSource(locked: LockEntry["registry_source"], planned: LockEntry["registry_source"]): boolean {
  if (locked?.url !== undefined && planned?.url !== undefined) return locked.url === planned.url;
  return locked?.name === planned?.name;
}

/** @returns The source that an entry is from, as a file for other machines may name it. */
export function formatOrigin(origin: EntryOrigin): string {
  return formatSource(pickPublic(origin));
}

function formatSource({ name, url }: NonNullable<LockEntry["registry_source"]>): string {
  return url === undefined ? `"${name}"` : `"${name}" (${url})`;
}

/**
 * How a create request names the entry of the source that the lock records.
 *
 * @param sources Of this machine, in the order in which names are looked up; the default one does not count.
 * @returns `undefined` where no source is recorded, and where that source is none of this machine's: its name would be an image.
 */
export function nameLockedEntry(
  { run, registry_source: locked }: LockEntry,
  sources: readonly EntryOrigin[],
): string | undefined {
  if (locked === undefined) return undefined;
  const found = sources.find((each) => each.name !== DEFAULT_SOURCE && isSameSource(locked, pickPublic(each)));
  const own = `${locked.name}/`;
  return found && `${found.name}/${run.startsWith(own) ? run.slice(own.length) : run}`;
}

/** How to get the entry of the source that the lock names. */
export function suggestSource({ run, registry_source }: LockEntry): string | undefined {
  if (registry_source === undefined) return undefined;
  const { name, url = "ADDRESS" } = registry_source;
  return `Add that source: thv registry source add ${name} ${url}. Or take another source: write run: SOURCE/${run} in the project file`;
}

/** @returns The names of tools that are new or differ. A missing tool is no change: a server's list may depend on the caller. */
export function listToolChanges(
  locked: ToolHashes,
  offered: ToolHashes,
): { readonly name: string; readonly before?: string; readonly after: string }[] {
  return sortMembers(offered).flatMap(([name, after]) => {
    const before = Object.hasOwn(locked, name) ? locked[name] : undefined;
    return before === after ? [] : [{ name, ...(before !== undefined && { before }), after }];
  });
}

function sortMembers<Value>(members: Readonly<Record<string, Value>>): [string, Value][] {
  return Object.entries(members).sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Why what would run is not what the lock says, as a sentence without a full stop. Digests are the supervisor's to compare. */
export function findLockProblem(name: string, locked: LockEntry, planned: LockEntry): string | undefined {
  const { registry_source: source } = locked;
  if (source !== undefined && !isSameSource(source, planned.registry_source)) {
    const other = planned.registry_source
      ? `of ${formatSource(planned.registry_source)}`
      : "of the default registry or an image";
    return `"${name}" would run ${locked.run} ${other}, but the lock file records the entry of the registry source ${formatSource(source)}`;
  }
  const [before, now] = [locked.package ?? locked.image, planned.package ?? planned.image];
  if (before === undefined || now === undefined || before === now) return undefined;
  return `"${name}" would run ${now}, but the lock file records ${before}`;
}

/** @param problems Each with its place in the lock; the sentence of a place begins with its line. */
function invalid(path: string, problems: readonly LocatedProblem[]): ThvError {
  return new ThvError("INVALID_ARGUMENT", `${path} cannot be used: ${listSentences(problems).join("; ")}.`, {
    hint: "Restore it from version control, or write it again: thv up --update-lock",
    problems,
  });
}
