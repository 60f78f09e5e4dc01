/** What pages print of the operator: which manifests for the original's operator it reads, and what becomes of each member. */
import { type JsonObject, MISSING_KINDS, MISSING_MEMBERS, RENAMED_MEMBERS } from "../contract/index.ts";
import { checkObject } from "../manifest/index.ts";
import data from "./original-manifests.json" with { type: "json" };

export interface OriginalManifest {
  /** What it shows, in a few words. */
  readonly what: string;
  readonly objects: readonly JsonObject[];
}

/** Written for this table, with the members that examples for the original's operator have. */
export const ORIGINAL_MANIFESTS: readonly OriginalManifest[] = data.manifests;

/** `as it is`: applies. `other names`: applies, and a condition names members to write. `refused`: with the reasons. */
export interface ManifestOutcome {
  readonly what: string;
  readonly outcome: "as it is" | "other names" | "refused";
  /** Which members to write, or what to do in place of a member or a kind. */
  readonly reasons: readonly string[];
}

export function judgeManifest({ what, objects }: OriginalManifest): ManifestOutcome {
  const reports = objects.map(checkObject);
  const problems = reports.flatMap((report) => report.problems);
  if (problems.length > 0) return { what, outcome: "refused", reasons: [...new Set(problems)] };
  const names = reports.flatMap(({ otherNames }) => otherNames);
  return { what, outcome: names.length > 0 ? "other names" : "as it is", reasons: [...new Set(names)] };
}

export { MISSING_KINDS, MISSING_MEMBERS, RENAMED_MEMBERS };
