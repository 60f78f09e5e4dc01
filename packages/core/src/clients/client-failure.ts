/** Why the file of a client could not be changed. */
import { describeError, ThvError } from "../support/errors.ts";
import type { ClientDefinition } from "./client-types.ts";

/** A client whose file could not be changed. */
export interface ClientFailure {
  readonly client: string;
  /** A sentence with the path. */
  readonly reason: string;
  readonly hint?: string;
}

export function describeFailure({ id }: ClientDefinition, error: unknown): ClientFailure {
  const hint = error instanceof ThvError ? error.hint : undefined;
  return { client: id, reason: describeError(error), ...(hint !== undefined && { hint }) };
}
