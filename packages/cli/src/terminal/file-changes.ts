/** Shows what would become of files, as a unified diff. */
import type { ClientFileChange } from "@toolhive/core";
import { createTwoFilesPatch } from "diff";
import type { Terminal } from "./terminal.ts";

/** Lines around a change that are shown. */
const CONTEXT_LINES = 2;
const ABSENT = "/dev/null";

/** @returns The diff of every file, coloured for stdout. */
export function formatFileChanges(files: readonly ClientFileChange[], terminal: Terminal): string {
  return files.map((file) => formatFileChange(file, terminal)).join("\n");
}

function formatFileChange({ path, before, after }: ClientFileChange, terminal: Terminal): string {
  const names = [before === undefined ? ABSENT : path, after === undefined ? ABSENT : path] as const;
  const patch = createTwoFilesPatch(...names, before ?? "", after ?? "", undefined, undefined, {
    context: CONTEXT_LINES,
  });
  const lines = patch.trimEnd().split("\n").slice(1);
  return lines.map((line) => paint(line, terminal)).join("\n");
}

function paint(line: string, terminal: Terminal): string {
  if (/^(?:---|\+\+\+) /.test(line)) return terminal.out("bold", line);
  if (line.startsWith("+")) return terminal.out("green", line);
  if (line.startsWith("-")) return terminal.out("red", line);
  return line.startsWith("@@") ? terminal.out("cyan", line) : line;
}
