/** Warnings about definitions of tools, for a person. */
import type { ToolWarning } from "@toolhive/core";
import { showLine } from "../../terminal/shown-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** More lines than these are not read; all are in the JSON. */
const MAX_LINES = 20;

export function printWarnings(warnings: readonly ToolWarning[], terminal: Terminal): void {
  const lines = warnings.map(({ tool, message }) => `Warning: ${showLine(`${tool}: ${message}`)}.`);
  for (const line of lines.slice(0, MAX_LINES)) terminal.info(line);
  if (lines.length > MAX_LINES) terminal.info(`There are ${lines.length - MAX_LINES} more warnings: --format json`);
}
