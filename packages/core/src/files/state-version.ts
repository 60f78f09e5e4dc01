/**
 * The version of the content of one of our files. A file of a newer version stays as it is: an older program would ignore members
 * that it does not know, such as a rule for the network, and lose them when it saves.
 */
import { ThvError } from "../support/errors.ts";

/** The newest that this program reads, and the one that it writes. A file without `state_version` is of version 1. */
export const STATE_VERSION = 1;

/**
 * @param value What a file holds: the object with or without `state_version`.
 * @param path Of the file.
 * @param known The newest that this program reads of such a file.
 * @throws {ThvError} `STATE_TOO_NEW`. @throws {Error} for what is no version.
 */
export function assertKnownVersion(value: unknown, path: string, known: number = STATE_VERSION): void {
  const version = findVersion(value);
  if (version === undefined) return;
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) {
    throw new Error("state_version must be a whole number of at least 1");
  }
  if (version > known) throw createTooNewError(path, version, known);
}

function findVersion(value: unknown): unknown {
  return typeof value === "object" && value !== null && "state_version" in value ? value.state_version : undefined;
}

/** @param version Of the file. @param known The newest that this program reads. */
export function createTooNewError(path: string, version: number, known: number = STATE_VERSION): ThvError {
  return new ThvError(
    "STATE_TOO_NEW",
    `${path} was written by a newer thv: it is of version ${version}, and this thv reads up to ${known}.`,
    { hint: "Install that newer thv again. The file stays as it is." },
  );
}
