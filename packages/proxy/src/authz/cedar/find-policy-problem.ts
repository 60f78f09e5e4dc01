/** Whether policies can be loaded, without an endpoint for them. */
import type { AuthzConfig } from "@toolhive/core";
import { listSentences } from "@toolhive/core/located-problem";
import { Cedar } from "./cedar.ts";

/**
 * @returns Why they cannot, with every problem, each with the number of its policy, its line and its column; `undefined` when they
 * can. Nothing of them is kept, as the policies of an endpoint are.
 */
export function findPolicyProblem(config: AuthzConfig): string | undefined {
  const problems = Cedar.findProblems(config);
  return problems.length > 0 ? `${listSentences(problems).join("; ")}.` : undefined;
}
