/**
 * Reads a JSON body as existing clients send it (api-behaviour 1.4): member names in any case,
 * `null` means absent. Unknown members are ignored, as newer clients send them, unless they look like a slip of the pen.
 */
import {
  checkValue,
  findNearestMember,
  findSoundMembers,
  formatPath,
  type LocatedProblem,
  listProblems,
  listSentences,
  thinValue,
} from "@toolhive/core";
import { isRecord, parseJson, quote, shorten } from "@toolhive/http/values";
import type { TSchema } from "typebox";
import { Errors } from "typebox/schema";
import type { FurtherProblems, ReadMembers } from "../contract/parts/operation.ts";

/** Members of later versions of the reference that resemble ours: in a request, they are not typing errors. */
const LATER_MEMBERS: ReadonlySet<string> = new Set(["group", "groups", "headers"]);
/** Lists of KEY=VALUE that later versions of the reference send as an object. */
const PAIRS: ReadonlySet<string> = new Set(["env", "env_vars"]);
/** Characters of a caller's own word that are repeated. */
const SHOWN_LENGTH = 60;
/** Members of a body, far more than any operation has: each name is compared with all that are known. */
const MAX_MEMBERS = 200;

/** An answer reports at most this many problems, and this many characters of each: it repeats little of a body of a megabyte. */
const MAX_PROBLEMS = 200;
const MAX_PROBLEM_LENGTH = 300;

/** Thrown for a body that is not what the schema says; becomes the operation's `decodeError`. */
export class DecodeError extends Error {
  readonly problems: readonly LocatedProblem[];
  /** Whether the only problem is that something is missing or empty. */
  readonly isMissing: boolean;
  /** Whether there is a body with members: text that is no JSON object has no members that could be named. */
  readonly isObject: boolean;
  constructor(problems: readonly LocatedProblem[], { isMissing = false, isObject = true } = {}) {
    const listed = problems.slice(0, MAX_PROBLEMS).map(shortenProblem);
    super(listSentences(listed).join("; "));
    this.problems = listed;
    this.isMissing = isMissing;
    this.isObject = isObject;
  }
}

export interface DecodeOptions {
  /** Finds further problems of members that have the right form, so that one answer reports everything. */
  readonly furtherProblems?: FurtherProblems | undefined;
  readonly readMembers?: ReadMembers | undefined;
}

/** @throws {DecodeError} with everything that is wrong. */
export function decodeBody(text: string, schema: TSchema, options: DecodeOptions = {}): unknown {
  const { furtherProblems, readMembers } = options;
  const value = parseBody(text);
  if (typeof value !== "object" || Array.isArray(value)) {
    const found = Array.isArray(value) ? "a list" : `a ${typeof value}`;
    throw new DecodeError([atWhole(`the body is ${found} but must be an object`)], { isObject: false });
  }
  if (value === null && checkValue(schema, {})) {
    throw new DecodeError([atWhole("the body is null but must be an object")], { isObject: false });
  }
  const known = Object.keys((schema as unknown as { properties: Record<string, unknown> }).properties);
  const members = Object.entries(value ?? {});
  if (members.length > MAX_MEMBERS) {
    throw new DecodeError([atWhole(`the body has ${members.length} members, but may have at most ${MAX_MEMBERS}`)]);
  }
  const body: Record<string, unknown> = {};
  const written: Record<string, string> = {};
  const read = readMembers?.(Object.fromEntries(members));
  const slips: LocatedProblem[] = [...(read?.problems ?? [])];
  for (const [key, member] of read === undefined ? members : Object.entries(read.members)) {
    if (member === null) continue;
    const name = known.find((candidate) => candidate.toLowerCase() === key.toLowerCase());
    const meant = name ?? (LATER_MEMBERS.has(key) ? undefined : findNearestMember(key, known));
    if (name) {
      body[name] = PAIRS.has(name) ? listPairs(member) : name === "secrets" ? listSecrets(member) : member;
      written[name] = key;
    } else if (meant) {
      const sentence = `the body has the unknown member ${quote(key, SHOWN_LENGTH)} (did you mean ${quote(meant, SHOWN_LENGTH)}?)`;
      slips.push({ path: [key], sentence });
    }
  }
  // The reference has a member of its own for the address of a remote server.
  if (known.includes("image") && body.image === undefined && typeof body.url === "string") body.image = body.url;
  if (slips.length === 0 && checkValue(schema, body)) return body;
  const errors = Errors(schema, thinValue(body).value)[1];
  const isMissing = slips.length === 0 && errors.length > 0 && errors.every(({ keyword }) => MISSING.has(keyword));
  const sound = findSoundMembers(schema, body);
  const restore = ([member = "", ...rest]: readonly string[]) =>
    Object.hasOwn(written, member) ? [written[member] ?? member, ...rest] : [member, ...rest];
  const problems = listProblems(schema, body, { root: "the body", name: (path) => formatPath(restore(path)) });
  const located = [...problems, ...(furtherProblems?.(sound) ?? [])].map(({ path, sentence }) => ({
    path: path.length === 0 ? [] : restore(path),
    sentence,
  }));
  throw new DecodeError([...slips, ...located], { isMissing });
}

const MISSING: ReadonlySet<string> = new Set(["required", "minLength", "minItems", "minProperties"]);

/** @returns The value itself unless it is an object of texts. */
function listPairs(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const pairs = Object.entries(value);
  return pairs.every(([, text]) => typeof text === "string") ? pairs.map(([name, text]) => `${name}=${text}`) : value;
}

/** `NAME,target=VARIABLE` each, as the reference sends them to upgrade. @returns The value itself unless it is a list of those. */
function listSecrets(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item) => {
    const [, name, target] = (typeof item === "string" && /^([^,]+),target=(.+)$/s.exec(item)) || [];
    return name === undefined || target === undefined ? item : { name, target };
  });
}

function shortenProblem({ path, sentence }: LocatedProblem): LocatedProblem {
  return { path, sentence: shorten(sentence, MAX_PROBLEM_LENGTH) };
}

function atWhole(sentence: string): LocatedProblem {
  return { path: [], sentence };
}

function parseBody(text: string): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  const problem = text.trim() === "" ? "the body is empty" : "the body is not JSON";
  throw new DecodeError([atWhole(problem)], { isObject: false });
}
