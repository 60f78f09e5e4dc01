/** The files that a project file is built on, as they are on disk: those of its `extends`, and those that a command names before it. */
import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import { listExtended, type ProjectBase } from "@toolhive/core";
import { describeReadFailure, readBoundedText } from "@toolhive/core/bounded-file";
import { readSystemCode, ThvError } from "@toolhive/core/errors";

/** Files that extend each other in one chain, and files of one project. */
const MAX_DEPTH = 5;
const MAX_FILES = 20;

interface Reading {
  readonly found: ProjectBase[];
  readonly assertNoWayOut: (path: string) => Promise<void>;
}

/**
 * @param files That a command names, with paths without links; the last one is the project's own, and extends those before it.
 * @returns All that it is built on, the weakest first. @throws {ThvError} `INVALID_ARGUMENT` for one that cannot be used, with the
 *   file that names it.
 */
export async function readBases(
  files: readonly ProjectBase[],
  assertNoWayOut: Reading["assertNoWayOut"],
): Promise<readonly ProjectBase[]> {
  const reading: Reading = { found: [], assertNoWayOut };
  for (const [index, file] of files.entries()) {
    await collect(file, [file.path], reading);
    if (index < files.length - 1) reading.found.push(file);
  }
  const { length } = reading.found;
  if (length <= MAX_FILES) return reading.found;
  throw new ThvError(
    "INVALID_ARGUMENT",
    `These are ${length + 1} files, and a project has at most ${MAX_FILES} beside its own.`,
    {
      hint: "Leave out some --file, or join some of the files.",
    },
  );
}

async function collect(file: ProjectBase, chain: readonly string[], reading: Reading): Promise<void> {
  for (const given of listExtended(file.text)) {
    const path = await findFile(given, file.path, reading);
    if (chain.includes(path)) throw refuse(file.path, given, `it extends ${file.path} in turn`);
    if (chain.length > MAX_DEPTH) throw refuse(file.path, given, `more than ${MAX_DEPTH} files extend each other`);
    const base = { path, text: await readBase(path, given, file.path) };
    await collect(base, [...chain, path], reading);
    if (reading.found.length >= MAX_FILES) throw refuse(file.path, given, `a project has at most ${MAX_FILES} files`);
    reading.found.push(base);
  }
}

async function findFile(given: string, from: string, { assertNoWayOut }: Reading): Promise<string> {
  if (isAbsolute(given)) throw refuse(from, given, "write it as a relative path, so that the file can be moved");
  const path = resolve(dirname(from), given);
  await assertNoWayOut(path);
  return await realpath(path).catch(() => path);
}

async function readBase(path: string, given: string, from: string): Promise<string> {
  try {
    return await readBoundedText(path);
  } catch (error) {
    const reason = readSystemCode(error) === "ENOENT" ? "it does not exist" : describeReadFailure(error);
    throw refuse(from, given, reason, error);
  }
}

function refuse(from: string, given: string, reason: string, cause?: unknown): ThvError {
  return new ThvError("INVALID_ARGUMENT", `${from} cannot be used: it extends ${given.slice(0, 200)}: ${reason}.`, {
    hint: "Correct extends in that file: thv docs project file",
    cause,
  });
}
