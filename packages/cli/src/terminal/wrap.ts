/** Text that fits the width of a terminal. */
import { stripVTControlCharacters } from "node:util";

/** Columns; terms that are longer are on a line of their own. */
const MAX_TERM_WIDTH = 48;

/** Two columns; when the terminal is narrow the second goes below the first. */
export function termRows(rows: readonly (readonly [string, string])[], width: number): string[] {
  const first = Math.max(...rows.map(([name]) => name.length));
  if (width < first + 30 || first > MAX_TERM_WIDTH)
    return rows.flatMap(([name, text]) => [`  ${name.trimStart()}`, wrap(text, width, "      ")]);
  const indent = " ".repeat(first + 5);
  return rows.map(([name, text]) => wrap(text, width, `  ${name.padEnd(first)}   `, indent));
}

/**
 * Breaks a text at its spaces; a word longer than the width stays whole.
 *
 * @param first What the first line begins with.
 * @param indent What the others begin with.
 */
export function wrap(text: string, width: number, first = "", indent = " ".repeat(first.length)): string {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(/\s+/).filter((part) => part !== "")) {
    // Colors take no room.
    if (!isEmpty && stripVTControlCharacters(`${line} ${word}`).length > width) {
      lines.push(line);
      line = indent + word;
    } else line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].join("\n");
}
