/** A workload's use of a secret: `<name>,target=<ENV>` in run configurations and on the command line (api-behaviour 7.4). */
import { ThvError } from "../errors.ts";

export interface SecretReference {
  /** Key in the provider. */
  readonly name: string;
  /** Environment variable of the server. */
  readonly target: string;
}

/** What engines accept as the name of a variable. */
const VARIABLE = /^[^=\0]+$/;

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

/** @returns What is wrong with it, naming the secret; `undefined` when nothing is. */
export function problemOf({ name, target }: SecretReference): string | undefined {
  if (name === "") return `a secret for the variable "${target}" has no name`;
  if (name.includes(",")) return `secret "${name}" has a comma in its name`;
  if (target === "") return `secret "${name}" has no target`;
  if (!VARIABLE.test(target)) return `secret "${name}" has the target "${target}", which is not the name of a variable`;
  return undefined;
}
