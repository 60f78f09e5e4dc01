/** A workload's use of a secret: `<name>,target=<ENV>` in run configurations and on the command line (api-behaviour 7.4). */
import { ThvError } from "../support/errors.ts";
import { type LocatedProblem, type NameMember, nameInWords } from "../support/located-problem.ts";

export interface SecretReference {
  /** Key in the provider. */
  readonly name: string;
  /** Environment variable of the server. */
  readonly target: string;
}

/**
 * Engines take more as the name of a variable, but no shell and few programs can read one with blanks, and a name with a line
 * break would become two in a list with one name a line.
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

/** All problems of a workload's references, each naming its secret. Paths begin at the list. */
export function listReferenceProblems(
  references: readonly SecretReference[],
  nameMember: NameMember = nameInWords,
): LocatedProblem[] {
  const problems: LocatedProblem[] = [];
  const targets = new Map<string, string>();
  for (const [index, reference] of references.entries()) {
    const { name, target } = reference;
    const taken = targets.get(target);
    const call = (words: string) => nameMember(["secrets"], words);
    const [member, sentence] =
      findReferenceProblem(reference, call("secret")) ??
      (taken === undefined ? [] : ["target", findClash(call("secrets"), [taken, name], target)]);
    if (member !== undefined && sentence !== undefined) problems.push({ path: [String(index), member], sentence });
    targets.set(target, name);
  }
  return problems;
}

function findClash(secrets: string, [first, second]: readonly [string, string], target: string): string {
  return `${secrets} "${first}" and "${second}" have the same target "${target}"`;
}

/** @returns The member that is wrong, and the problem, naming the secret; `undefined` when there is none. */
function findReferenceProblem(
  { name, target }: SecretReference,
  secret: string,
): readonly [keyof SecretReference, string] | undefined {
  if (name === "") return ["name", `a secret for the variable "${target}" has no name`];
  if (name.includes(",")) return ["name", `${secret} "${name}" has a comma in its name`];
  if (target === "") return ["target", `${secret} "${name}" has no target`];
  if (!VARIABLE.test(target))
    return ["target", `${secret} "${name}" has the target "${target}", which is not the name of a variable`];
  return undefined;
}
