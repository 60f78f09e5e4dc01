/** Pieces of a manual page in the man(7) language. */

/** Text that the formatter takes as it is: no escapes, no requests, and dashes that can be copied. */
export function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gm, "\\&$1")
    .replaceAll("…", "...");
}

export function bold(text: string): string {
  return `\\fB${roff(text)}\\fR`;
}

export function italic(text: string): string {
  return `\\fI${roff(text)}\\fR`;
}

export function section(title: string, ...lines: readonly string[]): string[] {
  return [`.SH ${title.toUpperCase()}`, ...lines];
}

/** A term and what it means. */
export function term(name: string, meaning: string): string[] {
  return [".TP", name, roff(meaning)];
}

/** Lines that stay as they are. */
export function literal(...lines: readonly string[]): string[] {
  return [".PP", ".nf", ...lines.map((line) => `    ${roff(line)}`), ".fi"];
}
