/** Where a project comes from: a file, or an image registry. */
import { resolve } from "node:path";
import { isSharedReference, type LockEntries, placeLock } from "@toolhive/core";
import { hasCode, ThvError } from "@toolhive/core/errors";
import { quoteWord } from "@toolhive/http/values";
import type { CommandContext } from "../../../command-line/command.ts";
import { openLock, openProject, saveLock } from "./project-files.ts";
import type { OpenedProject } from "./shared-project.ts";

interface SourceInput {
  readonly positionals: readonly [string | undefined];
  readonly file: readonly string[];
}

/** @throws {ThvError} `USAGE` for a file and a reference, or for something else in the place of a reference. */
export function assertOneSource({ positionals: [reference], file }: SourceInput): void {
  if (reference === undefined) return;
  if (!isSharedReference(reference)) {
    throw new ThvError("USAGE", `"${reference}" is no project at an image registry: that begins with oci://.`, {
      hint: `For a file, write: --file ${quoteWord(reference)}`,
    });
  }
  if (file.length > 1 || resolve(file[0] ?? "") !== resolve("thv.yaml"))
    throw new ThvError("USAGE", `Both ${reference} and --file are given, and only one can be.`, {
      hint: "Leave out one of them.",
    });
}

/** @param input `updateLock`: a lock that cannot be read is written again. */
export async function openSource(
  input: SourceInput & { readonly updateLock: boolean },
  context: CommandContext,
): Promise<OpenedProject> {
  assertOneSource(input);
  const [reference] = input.positionals;
  if (reference !== undefined) {
    const { openSharedProject } = await import("./shared-project.ts");
    return await openSharedProject(reference, context);
  }
  const project = await openProject(input.file);
  const path = placeLock(project.path);
  const lock = await openLock(path).catch((error): LockEntries | undefined => {
    if (input.updateLock && hasCode(error, "INVALID_ARGUMENT")) return undefined;
    throw error;
  });
  return { project, lock, saveLock: (entries) => saveLock(path, lock, entries) };
}
