/** What the API says is wrong with a request, by the field that it is about. */
import { parsePointer } from "@toolhive/core/located-problem";
import type { Problem } from "../../parts/problem-view.tsx";

export type ProblemField = "url" | "name" | "transport" | "signIn" | "headers";

/** Members of a request that a field is for. */
const FIELDS = new Map<string, ProblemField>([
  ["url", "url"],
  ["image", "url"],
  ["allow_insecure_http", "url"],
  ["name", "name"],
  ["transport", "transport"],
  ["oauth_config", "signIn"],
  ["header_forward", "headers"],
]);

export interface FieldProblems {
  readonly fields: Readonly<Partial<Record<ProblemField, string>>>;
  /** Problems to show at the end of the form; `undefined` when every sentence has its field. */
  readonly rest: Problem | undefined;
}

export function sortProblem(problem: Problem | undefined): FieldProblems {
  if (problem === undefined) return { fields: {}, rest: undefined };
  const { problems = [], pointers = [] } = problem;
  const fields = new Map<ProblemField, string>();
  const others: string[] = [];
  for (const [index, sentence] of problems.entries()) {
    const [member = ""] = parsePointer(pointers[index] ?? "");
    const field = FIELDS.get(member);
    if (field === undefined) others.push(sentence);
    else fields.set(field, [fields.get(field), sentence].filter(Boolean).join("; "));
  }
  const found = Object.fromEntries(fields) as FieldProblems["fields"];
  if (fields.size === 0) return { fields: found, rest: problem };
  if (others.length === 0) return { fields: found, rest: undefined };
  return { fields: found, rest: { ...problem, message: others.join("; "), problems: [], pointers: [] } };
}
