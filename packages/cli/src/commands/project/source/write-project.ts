/** A command writes a new project file: one that exists stays, unless the user says otherwise. */
import { access } from "node:fs/promises";
import { atomicWrite } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";

/** @throws {ThvError} `INVALID_ARGUMENT` where a file is there already; `FILE_FAILED`. */
export async function writeNewProject(path: string, text: string, isForced: boolean): Promise<void> {
  if (!isForced && (await exists(path))) {
    throw new ThvError("INVALID_ARGUMENT", `${path} already exists.`, {
      hint: "Choose another name with --file, or replace it: --force",
    });
  }
  await atomicWrite(path, text, { mode: 0o644 });
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
