/** `thv push`: the project file goes to an image registry, with the files that it names. */
import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import {
  formatLock,
  formatSharedLabel,
  listExposedValues,
  listProjectFiles,
  type NamedPath,
  type Project,
  type PushedProject,
  parseSharedReference,
  placeLock,
  pushProject,
  type SharedFile,
  type SharedReference,
} from "@toolhive/core";
import { describeReadFailure, readBoundedFile, readBoundedText } from "@toolhive/core/bounded-file";
import { hasCode, readSystemCode, ThvError } from "@toolhive/core/errors";
import { quoteWord } from "@toolhive/http/values";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { askYes } from "../../terminal/input.ts";
import { printOutcome } from "../print-outcome.ts";
import type { PUSH } from "./definition.ts";
import { isInside, openLock, openProject } from "./source/project-files.ts";
import { createRegistryAccess, describeLeft } from "./source/shared-project.ts";
import { readSharedState, rememberSeen } from "./source/shared-state.ts";

export const push: CommandHandler<typeof PUSH> = async (input, context) => {
  const [given] = input.positionals;
  const { terminal, env } = context;
  const reference = parseSharedReference(given);
  const project = await openProject([input.file]);
  assertAlone(project);
  const { files, left } = await collectFiles(project.path);
  const command = formatPush(reference, input.file);
  await confirmSecrets(project, { isAllowed: input.yes, command }, context);
  const label = formatSharedLabel(reference);
  const { text, tag = "" } = reference;
  const state = await readSharedState(label, env);
  const seen = Object.hasOwn(state.seen, tag) ? state.seen[tag] : undefined;
  const { digest, sent, before } = await pushOverOthers(reference, files, input.yes ? "any" : seen, context);
  await rememberSeen(label, { [tag]: digest }, context);
  const names = files.map(({ name }) => name);
  const result = { reference: text, digest, files: names, sent, ...(before !== undefined && { replaced: before }) };
  printOutcome(input, context, result, `${text} is ${digest}: ${names.join(", ")}`);
  for (const each of left) terminal.info(`Not shared: ${each.member}: ${describeLeft(each)}.`);
  const isWhole = left.length === 0;
  const next = isWhole ? `thv up ${quoteWord(text)}` : `thv pull ${quoteWord(text)} FOLDER`;
  terminal.info(`Run it on another machine: ${next}`);
};

/** @throws {ThvError} `INVALID_ARGUMENT` for one that needs other files to say what it says. */
function assertAlone({ path, bases }: Project): void {
  if (bases === undefined) return;
  throw new ThvError("INVALID_ARGUMENT", `${path} extends ${bases.join(", ")}, and what is pushed is one file.`, {
    hint: "Start it, and push what runs: thv export --all whole.yaml, then thv push REFERENCE --file whole.yaml",
  });
}

function formatPush({ text }: SharedReference, file: string): string {
  const words = resolve(file) === resolve("thv.yaml") ? [] : ["--file", quoteWord(file)];
  return ["thv push", quoteWord(text), ...words, "--yes"].join(" ");
}

/** What nobody here has seen is replaced only after a question. */
async function pushOverOthers(
  reference: SharedReference,
  files: readonly SharedFile[],
  replaces: string | undefined,
  context: CommandContext,
): Promise<PushedProject> {
  const access = await createRegistryAccess(context);
  try {
    return await pushProject({ reference, files, replaces }, access);
  } catch (error) {
    if (!hasCode(error, "NOT_CONFIRMED") || !context.terminal.canAsk) throw error;
    if (!(await askYes(context.terminal, `${error.message} Replace it?`)))
      throw new ThvError("INTERRUPTED", "Cancelled: nothing was sent.");
    return await pushProject({ reference, files, replaces: "any" }, access);
  }
}

/** What is pushed cannot be taken back. @throws {ThvError} `NOT_CONFIRMED`, `INTERRUPTED`. */
async function confirmSecrets(
  project: Project,
  { isAllowed, command }: { readonly isAllowed: boolean; readonly command: string },
  { terminal }: CommandContext,
): Promise<void> {
  const found = listExposedValues(project);
  if (found.length === 0) return;
  const sentence = `${found.join(", ")} looks secret, and everybody who may pull the project would read it.`;
  if (isAllowed) {
    terminal.info(`Warning: ${sentence}`);
    return;
  }
  if (!terminal.canAsk) {
    throw new ThvError("NOT_CONFIRMED", sentence, {
      hint: `Nothing was sent. Store it (thv secret set NAME) and name it under secrets. Or share it: ${command}`,
    });
  }
  if (!(await askYes(terminal, `${sentence} Share it?`)))
    throw new ThvError("INTERRUPTED", "Cancelled: nothing was sent.");
}

/** The project file, its lock, and what it names inside its folder. */
async function collectFiles(path: string): Promise<{ files: SharedFile[]; left: readonly NamedPath[] }> {
  const folder = dirname(path);
  const name = basename(path);
  const text = await readBoundedText(path);
  const { files, left } = await listProjectFiles(name, text, async (other) => {
    const bytes = await readInside(folder, other);
    return bytes.toString("utf8");
  });
  const beside = await Promise.all(
    files.map(async (other): Promise<SharedFile> => {
      const bytes = await readInside(folder, other);
      return { kind: "file", name: other, bytes: new Uint8Array(bytes) };
    }),
  );
  const lock = await openLock(placeLock(path));
  return {
    files: [
      { kind: "project", name, bytes: Buffer.from(text) },
      ...(lock ? [{ kind: "lock" as const, name: placeLock(name), bytes: Buffer.from(formatLock(lock)) }] : []),
      ...beside,
    ],
    left,
  };
}

/** @throws {ThvError} `INVALID_ARGUMENT` for what is not there, or is a link out of the folder. */
async function readInside(folder: string, name: string): Promise<Buffer> {
  const path = join(folder, ...name.split("/"));
  const fail = (reason: string, cause?: unknown) =>
    new ThvError("INVALID_ARGUMENT", `${path} cannot be shared: ${reason}.`, {
      hint: "The project file names it. Nothing was sent.",
      cause,
    });
  try {
    const target = await realpath(path);
    if (!isInside(target, await realpath(folder))) throw fail(`it is a link to ${target}, outside the folder`);
    return await readBoundedFile(target);
  } catch (error) {
    if (error instanceof ThvError) throw error;
    throw fail(readSystemCode(error) === "ENOENT" ? "it does not exist" : describeReadFailure(error), error);
  }
}
