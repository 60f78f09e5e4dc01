/** `thv up --watch`: the project is applied again whenever one of its files is saved. */
import { getErrorPage, ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import { openProject, resolveProjectPath } from "./source/project-files.ts";
import { awaitSave, describeFiles } from "./source/watched-files.ts";

interface Watching {
  /** As `openProject` takes them. */
  readonly files: readonly string[];
  readonly format: "text" | "json";
  /** @param isFirst Only the first time, answers that were given with the command count. */
  readonly apply: (isFirst: boolean) => Promise<void>;
}

/** Ends with the signal. A mistake in the file, a no, or a server that fails ends nothing: the next save is tried again. */
export async function watchProject({ files, format, apply }: Watching, context: CommandContext): Promise<void> {
  const { terminal, signal } = context;
  let paths = await Promise.all(files.map(resolveProjectPath));
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    paths = await listFiles(files, paths);
    const before = await describeFiles(paths);
    try {
      await apply(isFirst);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ThvError) || error.code === "USAGE") throw error;
      report(error, format, context);
    }
    terminal.info(`Waiting for ${paths.join(", ")} to be saved; Ctrl-C ends this.`);
    if (!(await awaitSave(paths, before, signal))) return;
  }
}

/** While the file cannot be read, those of before are followed. */
async function listFiles(files: readonly string[], before: readonly string[]): Promise<string[]> {
  try {
    const { path, bases = [] } = await openProject(files);
    return [path, ...bases];
  } catch {
    return [...before];
  }
}

function report({ code, message, hint }: ThvError, format: Watching["format"], { terminal }: CommandContext): void {
  if (format === "json") {
    terminal.info(JSON.stringify({ code, message, hint, docs: getErrorPage(code) }));
    return;
  }
  terminal.infoProse(`${terminal.err("red", "Error:")} ${message.trimEnd().replace(/\r?\n/g, "\n  ")}`);
  if (hint !== undefined) terminal.info(`${terminal.err("yellow", "Hint:")} ${hint}`);
}
