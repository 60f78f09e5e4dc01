/** Shows what would become of files, as a unified diff. */
import type { ClientFileChange } from "@toolhive/core";
import { createTwoFilesPatch } from "diff";
import type { Terminal } from "./terminal.ts";

/** Lines around a change that are shown. */
const CONTEXT_LINES = 2;
/** Lines of a diff that a screen holds, and those that are shown of a longer one. */
const MAX_SHOWN_LINES = 24;
const FIRST_LINES = 12;
const ABSENT = "/dev/null";

/** What is compared, whatever it belongs to. */
type TextChange = Pick<ClientFileChange, "path" | "before" | "after">;

/** @returns The diff of every file, coloured for stdout. */
export function formatFileChanges(files: readonly TextChange[], terminal: Terminal): string {
  return files.map((file) => formatFileChange(file, terminal)).join("\n");
}

/**
 * The same before anything is done: on a terminal, a file with many changed lines has its first ones, and the number of the others. In a
 * pipe it is whole.
 */
export function formatForScreen(files: readonly TextChange[], terminal: Terminal): string {
  if (!terminal.isOutputTerminal) return formatFileChanges(files, terminal);
  return files.map((file) => cutDiff(file, terminal)).join("\n");
}

function cutDiff(file: TextChange, terminal: Terminal): string {
  const lines = diffLines(file);
  if (lines.length <= MAX_SHOWN_LINES) return formatFileChange(file, terminal);
  const count = (sign: string) => lines.slice(2).filter((line) => line.startsWith(sign)).length;
  const shown = lines.slice(0, FIRST_LINES).map((line) => paint(line, terminal));
  const rest = `… ${lines.length - FIRST_LINES} more lines: ${count("+")} lines are added and ${count("-")} removed in all. All of them: --format json`;
  return [...shown, terminal.out("dim", rest)].join("\n");
}

/** The same for programs: the diff alone, because a whole file may hold private text. */
export function describeFileChanges(files: readonly ClientFileChange[]): object[] {
  return files.map((file) => ({ client: file.client, path: file.path, diff: `${formatDiff(file)}\n` }));
}

/** The diff of one file, without colours. */
export function formatDiff(file: TextChange): string {
  return diffLines(file).join("\n");
}

function formatFileChange(file: TextChange, terminal: Terminal): string {
  return diffLines(file)
    .map((line) => paint(line, terminal))
    .join("\n");
}

/** The lines of a unified diff. */
function diffLines({ path, before, after }: TextChange): string[] {
  const names = [before === undefined ? ABSENT : path, after === undefined ? ABSENT : path] as const;
  const patch = createTwoFilesPatch(...names, before ?? "", after ?? "", undefined, undefined, {
    context: CONTEXT_LINES,
  });
  // Before the names of the files are a name of the whole and a line, in either order.
  const lines = patch.trimEnd().split("\n");
  return lines.slice(lines.findIndex((line) => line.startsWith("--- ")));
}

function paint(line: string, terminal: Terminal): string {
  if (/^(?:---|\+\+\+) /.test(line)) return terminal.out("bold", line);
  if (line.startsWith("+")) return terminal.out("green", line);
  if (line.startsWith("-")) return terminal.out("red", line);
  return line.startsWith("@@") ? terminal.out("cyan", line) : line;
}
