/** A workload's use of a secret: `<name>,target=<ENV>` in run configurations and on the command line (api-behaviour 7.4). */
import { ThvError } from "../support/errors.ts";

export interface SecretReference {
  /** Key in the provider. */
  readonly name: string;
  /** Environment variable of the server. */
  readonly target: string;
}

/**
 * Engines take more as the name of a variable, but no shell and few programs can read one with blanks, and a line break in it
 * would make two of it where they stand one on a line.
 */
const VARIABLE = /^[^=\s\p{Cc}]+$/u;

export function formatSecretReference({ name, target }: SecretReference): string {
  return `${name},target=${target}`;
}

/** @throws {ThvError} `INVALID_ARGUMENT` naming the reference. */
export function parseSecretReference(text: string): SecretReference {
  const match = /^([^,]+),target=(.+)$/s.exec(text);
  const name = match?.[1];
  const target = match?.[2];
  if (name === undefined || target === undefined) {
    throw new ThvError("INVALID_ARGUMENT", `secret "${text.slice(0, 100)}" is not NAME,target=VARIABLE`);
  }
  return { name, target };
}

/** The values of references by variable. @throws {ThvError} naming the secret that cannot be read. */
export type ResolveSecrets = (references: readonly SecretReference[]) => Promise<Record<string, string>>;

/** All problems of a workload's references, each naming its secret. */
export function listReferenceProblems(references: readonly SecretReference[]): string[] {
  const problems: string[] = [];
  const targets = new Map<string, string>();
  for (const reference of references) {
    const { name, target } = reference;
    const taken = targets.get(target);
    const problem =
      findReferenceProblem(reference) ?? (taken === undefined ? undefined : findClash(taken, name, target));
    if (problem) problems.push(problem);
    targets.set(target, name);
  }
  return problems;
}

function findClash(first: string, second: string, target: string): string {
  return `secrets "${first}" and "${second}" have the same target "${target}"`;
}

/** @returns The problem, naming the secret; `undefined` when there is none. */
function findReferenceProblem({ name, target }: SecretReference): string | undefined {
  if (name === "") return `a secret for the variable "${target}" has no name`;
  if (name.includes(",")) return `secret "${name}" has a comma in its name`;
  if (target === "") return `secret "${name}" has no target`;
  if (!VARIABLE.test(target)) return `secret "${name}" has the target "${target}", which is not the name of a variable`;
  return undefined;
}
