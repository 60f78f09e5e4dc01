/** What the API says is wrong with a request, by the field that it is about. */
import type { Problem } from "../../parts/problem-view.tsx";

export type ProblemField = "url" | "name" | "transport" | "signIn" | "headers";

/** What the sentences of the API begin with. */
const BEGINNINGS: readonly (readonly [ProblemField, RegExp])[] = [
  ["url", /^(?:url|image|allow_insecure_http)\b/],
  ["name", /^name\b/],
  ["transport", /^transport\b/],
  ["signIn", /^oauth_config\b/],
  ["headers", /^header_forward\b/],
];

export interface FieldProblems {
  readonly fields: Readonly<Partial<Record<ProblemField, string>>>;
  /** What is left for the end of the form; `undefined` when every sentence has its field. */
  readonly rest: Problem | undefined;
}

export function sortProblem(problem: Problem | undefined): FieldProblems {
  if (problem === undefined) return { fields: {}, rest: undefined };
  const sentences = problem.problems?.length ? problem.problems : [cutOperation(problem.message)];
  const fields = new Map<ProblemField, string>();
  const others: string[] = [];
  for (const sentence of sentences) {
    const field = BEGINNINGS.find(([, begin]) => begin.test(sentence))?.[0];
    if (field === undefined) others.push(sentence);
    else fields.set(field, [fields.get(field), sentence].filter(Boolean).join("; "));
  }
  const found = Object.fromEntries(fields) as FieldProblems["fields"];
  if (fields.size === 0) return { fields: found, rest: problem };
  if (others.length === 0) return { fields: found, rest: undefined };
  return { fields: found, rest: { ...problem, message: others.join("; "), problems: [] } };
}

/** Characters of what an operation puts before a sentence. */
const MAX_OPERATION_LENGTH = 60;

/** A single sentence without the text of the operation before it. */
function cutOperation(message: string): string {
  const end = message.indexOf(":");
  const isBefore = end > 0 && end <= MAX_OPERATION_LENGTH && !message.slice(0, end).includes('"');
  return isBefore && /^: [a-z_]/.test(message.slice(end)) ? message.slice(end + 2) : message;
}
