/** Words the API's problems of a request in terms of the flags. */
import { hasCode, ThvError } from "@toolhive/core/errors";
import type { LocatedProblem, NameMember } from "@toolhive/core/located-problem";
import { findMemberNames } from "@toolhive/core/request-members";
import type { RunInput } from "./definition.ts";
import type { RequestBody } from "./request-body.ts";

/**
 * Everything that the API would refuse of what flags say. Loaded only when something is wrong: it brings all schemas.
 *
 * @returns One sentence each, without a full stop, beginning with the flag.
 */
export async function problemsInFlags(
  flags: Omit<RequestBody, "image"> & { readonly image?: string | undefined },
): Promise<string[]> {
  const { listCreateProblems } = await import("@toolhive/api/create-problems");
  return listCreateProblems({ ...flags, image: flags.image || "image" }, nameFlag).map(formatInFlags);
}

/** @throws {ThvError} `INVALID_ARGUMENT` for what would be refused if it were not a dry run. */
export async function assertPossible(flags: RequestBody, input: RunInput): Promise<void> {
  const problems = input.isGiven("fromConfig") ? [] : await problemsInFlags(flags);
  if (problems.length === 0) return;
  throw new ThvError("INVALID_ARGUMENT", `${problems.join("; ")}.`, { hint: "See: thv run --help" });
}

/** The error of the API again, or one that names flags, where the error is about flags. */
export async function refusalInFlags(
  error: unknown,
  flags: RequestBody,
  input: Pick<RunInput, "isGiven">,
  command = "thv run",
): Promise<unknown> {
  const isAboutFlags = hasCode(error, "INVALID_ARGUMENT", "INVALID_WORKLOAD_NAME");
  if (!isAboutFlags || input.isGiven("fromConfig")) return error;
  const problems = await problemsInFlags(flags);
  if (problems.length === 0) return error;
  return new ThvError(error.code, `${problems.join("; ")}.`, {
    hint: error.hint ?? `See: ${command} --help`,
    cause: error,
  });
}

/** What has no flag keeps its words. */
const nameFlag: NameMember = (path, words) => findMemberNames(path).flag ?? words;

/** The sentence, which says the flag that it is about in any case. */
export function formatInFlags({ path, sentence }: LocatedProblem): string {
  const { flag } = findMemberNames(path);
  return flag === undefined || sentence.includes(flag) ? sentence : `${flag}: ${sentence}`;
}
