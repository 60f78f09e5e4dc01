/** `thv pull`: the files of a project at an image registry are written into a folder. Nothing is run. */
import { realpath, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import {
  atomicWriteAll,
  formatSharedLabel,
  isSharedReference,
  parseSharedReference,
  pullProject,
  readLock,
  readProject,
  type SharedFile,
} from "@toolhive/core";
import { readBoundedFile } from "@toolhive/core/bounded-file";
import { readSystemCode, ThvError } from "@toolhive/core/errors";
import { quoteWord } from "@toolhive/http/values";
import type { CommandHandler } from "../../command-line/command.ts";
import { printOutcome } from "../print-outcome.ts";
import type { PULL } from "./definition.ts";
import { formatUp, isInside } from "./source/project-files.ts";
import { createRegistryAccess } from "./source/shared-project.ts";
import { rememberSeen } from "./source/shared-state.ts";

export const pull: CommandHandler<typeof PULL> = async (input, context) => {
  const [given, target = "."] = input.positionals;
  const { terminal } = context;
  if (!isSharedReference(given)) {
    throw new ThvError("USAGE", `"${given}" is no project at an image registry: that begins with oci://.`, {
      hint: "thv run pulls the image that it needs. To renew the image of a server: thv restart NAME --pull",
    });
  }
  const reference = parseSharedReference(given);
  const { text, digest, files, name, ...pulled } = await pullProject(reference, await createRegistryAccess(context));
  const folder = await resolveFolder(target);
  const path = join(folder, name);
  readProject(text, path);
  if (pulled.lock !== undefined) readLock(pulled.lock, `The lock file of ${reference.text}`);
  await writeFiles(folder, files, input.force);
  const label = formatSharedLabel(reference);
  if (reference.tag !== undefined) await rememberSeen(label, { [reference.tag]: digest }, context);
  const names = files.map((file) => file.name);
  const result = { reference: reference.text, digest, folder, files: names };
  printOutcome(input, context, result, `${folder} has ${names.join(", ")} of ${reference.text} (${digest})`);
  terminal.info(`Review the file, then start its servers: ${formatUp(join(target, name))}`);
};

interface Placed {
  readonly path: string;
  readonly content: Uint8Array;
}

/** All of them, or none. @throws {ThvError} `INVALID_ARGUMENT`, `FILE_FAILED`. */
async function writeFiles(folder: string, files: readonly SharedFile[], mayReplace: boolean): Promise<void> {
  const placed = (await Promise.all(files.map((file) => placeFile(folder, file, mayReplace)))).flat();
  const made = await listMissing(placed.map(({ path }) => dirname(path)));
  try {
    // The project file is the first of them: it takes its place last, when what it names is there.
    await atomicWriteAll(placed.reverse(), { mode: 0o644, directoryMode: 0o755 });
  } catch (error) {
    for (const each of made) await rmdir(each).catch(() => undefined);
    throw error;
  }
}

/** @returns The folders that have to be made, the innermost first. */
async function listMissing(folders: readonly string[]): Promise<string[]> {
  const missing = new Set<string>();
  for (const folder of folders) {
    const there = await findExistingPath(folder);
    for (let at = folder; at !== there; at = dirname(at)) missing.add(at);
  }
  return [...missing].sort((left, right) => right.length - left.length);
}

/** @returns Nothing for a file that is there with the same content. */
async function placeFile(folder: string, { name, bytes }: SharedFile, mayReplace: boolean): Promise<Placed[]> {
  const path = join(folder, ...name.split("/"));
  // A folder in it may be a link to somewhere else.
  const parent = await findExisting(dirname(path));
  if (!isInside(parent, await findExisting(folder))) {
    throw new ThvError("INVALID_ARGUMENT", `${path} cannot be written: it is outside ${folder}, through a link.`, {
      hint: "Nothing was written. Choose an empty folder: thv pull oci://… FOLDER",
    });
  }
  const present = await readBoundedFile(path).catch((error: unknown) => {
    const code = readSystemCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : Buffer.alloc(0);
  });
  if (present?.equals(bytes)) return [];
  if (present && !mayReplace) {
    throw new ThvError("INVALID_ARGUMENT", `${path} already exists, with another content.`, {
      hint: `Nothing was written. Choose another folder, or replace it: thv pull … ${quoteWord(folder)} --force`,
    });
  }
  return [{ path, content: bytes }];
}

async function resolveFolder(given: string): Promise<string> {
  const path = resolve(given);
  return await realpath(path).catch(() => path);
}

/** The real path of a folder, or of the nearest one above it that exists. */
async function findExisting(folder: string): Promise<string> {
  return await realpath(await findExistingPath(folder));
}

/** @returns The folder, or the nearest one above it that exists. */
async function findExistingPath(folder: string): Promise<string> {
  const above = dirname(folder);
  const isThere = await realpath(folder).then(
    () => true,
    (error) => {
      if (above === folder) throw error;
      return false;
    },
  );
  return isThere ? folder : await findExistingPath(above);
}
