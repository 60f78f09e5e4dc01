/** Why the file of a client could not be changed, or why there is no such client. */
import { describeError, ThvError } from "../support/errors.ts";
import { findNearest } from "../support/nearest.ts";
import { CLIENTS, type ClientDefinition, findClient } from "./client-types.ts";

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

/** @throws {ThvError} `CLIENT_UNKNOWN`. */
export function requireClient(name: string): ClientDefinition {
  const client = findClient(name);
  if (client) return client;
  throw createUnknownClient(
    name,
    CLIENTS.map(({ id }) => id),
  );
}

export function createUnknownClient(name: string, known: readonly string[]): ThvError {
  const near = findNearest(name, known);
  return new ThvError("CLIENT_UNKNOWN", `There is no client "${name.slice(0, 100)}".`, {
    hint: `${near === undefined ? "" : `Did you mean ${near}? `}Use one of: ${known.join(", ")}`,
  });
}
