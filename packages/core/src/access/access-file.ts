/** The two files that a request names by their path, or whose JSON it has as its value: policies and the audit log. */
import { describeReadFailure, readBoundedText } from "../files/bounded-file.ts";
import { ThvError } from "../support/errors.ts";
import { describeWhole, type LocatedProblem, listSentences, moveProblems } from "../support/located-problem.ts";

export interface AccessFileKind {
  /** Of the request. */
  readonly member: "audit_config" | "authz_config";
  /** For people: `authorisation file`. */
  readonly words: string;
  readonly hint: string;
}

export interface AccessText {
  /** For people: the path, or the member that has the JSON. */
  readonly what: string;
  readonly isInline: boolean;
  readonly content: string;
}

/** @param text Absolute path of the file, or JSON. @throws {ThvError} `INVALID_ARGUMENT` for a file that cannot be read. */
export async function readAccessText(text: string, kind: AccessFileKind): Promise<AccessText> {
  if (text.trimStart().startsWith("{")) return { what: kind.member, isInline: true, content: text };
  try {
    return { what: text, isInline: false, content: await readBoundedText(text) };
  } catch (error) {
    throw createAccessError(text, describeWhole(describeReadFailure(error)), kind);
  }
}

/** @param problems Each with its place in the file. What the file holds is not repeated. */
export function createAccessError(what: string, problems: readonly LocatedProblem[], kind: AccessFileKind): ThvError {
  const sentences = listSentences(problems).join("; ");
  return new ThvError("INVALID_ARGUMENT", `The ${kind.words} ${what} cannot be used: ${sentences}.`, {
    problems: moveProblems(problems, kind.member),
    hint: kind.hint,
  });
}
