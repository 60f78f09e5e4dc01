/** Edits one table of a TOML file, `[servers.name]`, by its lines: everything outside the table stays as it is. */
import { parse } from "smol-toml";

export function parseToml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    // The parser's message quotes the text, which may hold tokens.
    const line = error instanceof Error && "line" in error ? ` (line ${String(error.line)})` : "";
    throw new Error(`it is not TOML${line}`);
  }
}

export function setTomlTable(text: string, path: readonly string[], value: Readonly<Record<string, unknown>>): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = Object.entries(value).map(([key, item]) => `${quoteKey(key)} = ${JSON.stringify(item)}`);
  const table = [`[${path.map(quoteKey).join(".")}]`, ...lines, ""].join(eol);
  const range = findTable(text, path);
  if (range) return text.slice(0, range.start) + table + separateFrom(text, range.end, eol) + text.slice(range.end);
  const gap = text.trim() === "" ? "" : text.endsWith("\n") ? eol : eol + eol;
  return `${text}${gap}${table}`;
}

export function removeTomlTable(text: string, path: readonly string[]): string {
  const range = findTable(text, path);
  if (!range) return text;
  const before = text.slice(0, range.start);
  // The blank line that was put before it goes with it.
  const rest = text.slice(range.end);
  return (rest.trim() === "" ? before.replace(/(\r?\n)\r?\n$/, "$1") : before) + rest;
}

function separateFrom(text: string, end: number, eol: string): string {
  return end < text.length ? eol : "";
}

function quoteKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

/** From the table's header to the next one; comments directly above the next header belong to that one. */
function findTable(text: string, path: readonly string[]): { start: number; end: number } | undefined {
  const headers = listHeaders(text);
  const index = headers.findIndex(
    ({ keys }) => keys.length === path.length && keys.every((key, at) => key === path[at]),
  );
  const header = headers[index];
  if (!header) return undefined;
  const end = headers[index + 1]?.start ?? text.length;
  return { start: header.start, end: headers[index + 1] ? skipLastComments(text, header.start, end) : end };
}

/** @returns The start of the comment-only lines before `end`, which belong to the next table. */
function skipLastComments(text: string, start: number, end: number): number {
  let kept = end;
  while (kept > start) {
    const line = text.lastIndexOf("\n", kept - 2) + 1;
    if (line >= kept || line < start || !/^[ \t]*#/.test(text.slice(line, kept))) break;
    kept = line;
  }
  return kept;
}

interface Header {
  readonly start: number;
  readonly keys: readonly string[];
}

/** Lines that open a table; brackets inside strings and arrays do not count. */
function listHeaders(text: string): Header[] {
  const headers: Header[] = [];
  let depth = 0;
  let atLineStart = true;
  for (let index = 0; index < text.length; ) {
    const rest = text.slice(index);
    const string = /^(?:"""[\s\S]*?"""+|'''[\s\S]*?'''+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')/.exec(rest);
    if (atLineStart && depth === 0) {
      const header = /^[ \t]*\[([^[\]\n]+)\][ \t]*(?:#.*)?(?:\r?\n|$)/.exec(rest);
      if (header?.[1] !== undefined) {
        headers.push({ start: index, keys: splitKeys(header[1]) });
        index += header[0].length;
        continue;
      }
      const array = /^[ \t]*\[\[[^\n]*(?:\n|$)/.exec(rest);
      if (array) {
        headers.push({ start: index, keys: [] });
        index += array[0].length;
        continue;
      }
    }
    if (string) {
      index += string[0].length;
      atLineStart = false;
      continue;
    }
    const char = text[index];
    if (char === "#") {
      const comment = /^[^\n]*/.exec(rest)?.[0].length ?? 1;
      index += comment;
      continue;
    }
    if (char === "[" || char === "{") depth += 1;
    if (char === "]" || char === "}") depth = Math.max(0, depth - 1);
    atLineStart = char === "\n" || (atLineStart && (char === " " || char === "\t"));
    index += 1;
  }
  return headers;
}

function splitKeys(text: string): string[] {
  const keys = text.match(/"(?:\\.|[^"\\])*"|'[^']*'|[^.\s"']+/g) ?? [];
  return keys.map((key) => {
    if (key.startsWith('"')) return String(JSON.parse(key));
    return key.startsWith("'") ? key.slice(1, -1) : key;
  });
}
