/**
 * What becomes of clients' files, as others than the user's own programs may see it. The files hold servers that are not
 * ours, with their tokens: keys, our addresses and the words of an entry stay, every other value becomes `…`.
 */
import type { ClientFileChange } from "@toolhive/core";

/** In the place of a value. */
const HIDDEN = "…";
/** Characters around a string that are read to distinguish a key from a value. */
const MAX_KEY_LENGTH = 300;
/** Words of entries that are no secret. */
const WORDS: ReadonlySet<string> = new Set([
  "http",
  "sse",
  "streamable-http",
  "streamable_http",
  "streamableHttp",
  "remote",
  "local",
  "stdio",
]);
/** Of a workload on this machine: without a user, and without a query, which may be a token. */
const OWN_ADDRESS = /^https?:\/\/(?:127(?:\.\d{1,3}){3}|localhost):\d{1,5}\/(?:mcp|sse)(?:#[\w.-]*)?$/;
/** Strings, comments and, in JSON, words in places where none may be. */
const TOKENS = {
  json: /"(?:[^"\\]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[^\s{}[\],:"/]+/g,
  toml: /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|#[^\n]*/g,
} as const;

interface Reader {
  readonly isPrivate: boolean;
  /** Words that we write into entries: the program that hands a server on, and its arguments. Default: none. */
  readonly own?: readonly string[];
}

export function showFileChanges(changes: readonly ClientFileChange[], reader: Reader): ClientFileChange[] {
  return changes.map((change) => showFileChange(change, reader));
}

export function showFileChange(change: ClientFileChange, { isPrivate, own }: Reader): ClientFileChange {
  if (isPrivate) return change;
  const { path, before, after } = change;
  return {
    ...change,
    ...(before !== undefined && { before: hideValues(before, path, own) }),
    ...(after !== undefined && { after: hideValues(after, path, own) }),
  };
}

/**
 * @param path Its ending is the format.
 * @param own Values that are shown besides: written by us. Only of JSON, because no other client starts a program of ours.
 */
export function hideValues(text: string, path: string, own: readonly string[] = []): string {
  if (/\.ya?ml$/i.test(path)) return hideYamlValues(text);
  const tokens = /\.toml$/i.test(path) ? TOKENS.toml : TOKENS.json;
  // An entry of ours ends with the name of its server, which is its key as well.
  const keyed = own.length === 0 ? [] : [...text.matchAll(/"((?:[^"\\]|\\.)*)"?(\s*:)?/g)];
  const keys = keyed.flatMap(([, key = "", colon]) => (colon === undefined ? [] : [key]));
  const shown = new Set([...own.map((each) => JSON.stringify(each).slice(1, -1)), ...keys]);
  return text.replace(tokens, (token, at: number) => {
    if (/^(?:\/\/|\/\*|#)/.test(token)) return `${token.slice(0, token.startsWith("#") ? 1 : 2)} ${HIDDEN}`;
    if (/^[^"']/.test(token)) return /^(?:true|false|null|-?[\d.]+(?:[eE][+-]?\d+)?)$/.test(token) ? token : HIDDEN;
    const rest = text.slice(at + token.length, at + token.length + MAX_KEY_LENGTH);
    // A key of TOML may have parts, and a table's name is in brackets.
    const isKey =
      /^\s*[:=]/.test(rest) || (tokens === TOKENS.toml && /^\s*(?:\.|\])/.test(rest) && isTomlKey(text, at));
    const quotes = /^(?:"""|'''|["'])/.exec(token)?.[0] ?? "";
    const value = token.slice(quotes.length, token.endsWith(quotes) ? -quotes.length : undefined);
    return isKey || isHarmless(value) || shown.has(value) ? token : `${quotes}${HIDDEN}${quotes}`;
  });
}

/** Whether the line up to there is the beginning of a key or of a table's name. */
function isTomlKey(text: string, at: number): boolean {
  // Bounded, because it is asked for each string of a file that may be one long line.
  const before = text.slice(Math.max(0, at - MAX_KEY_LENGTH), at);
  const start = before.lastIndexOf("\n");
  if (start === -1 && at > MAX_KEY_LENGTH) return false;
  const line = before.slice(start + 1);
  return !/[=#]/.test(line);
}

/** Line by line, because values need no quotes: whatever is no key is a value. */
function hideYamlValues(text: string): string {
  return text.replace(/[^\n]+/g, (line) => {
    const start = readYamlStart(line);
    const value = line.slice(start.length).trim();
    const quote = /^["']/.exec(value)?.[0] ?? "";
    const isQuoted = quote !== "" && value.length > 1 && value.endsWith(quote);
    const plain = isQuoted ? value.slice(1, -1) : value;
    const isShown = value === "" || /^(?:true|false|[{[] *[}\]]|---)$/.test(value) || isHarmless(plain);
    return isShown ? line : `${start}${HIDDEN}`;
  });
}

/** @returns The text before the value of a line: its indent, the dashes of lists, and a key. */
function readYamlStart(line: string): string {
  const indent = /^\s*(?:- +)*/.exec(line)?.[0] ?? "";
  const rest = line.slice(indent.length);
  const key = /^(?:"[^"]*"|'[^']*'|[\w.@/-]+):/.exec(rest)?.[0] ?? "";
  const after = rest.slice(key.length);
  if (key === "" || /^\S/.test(after)) return indent;
  return `${indent}${key}${/^ *(?:- +)*/.exec(after)?.[0] ?? ""}`;
}

function isHarmless(value: string): boolean {
  return value === "" || WORDS.has(value) || OWN_ADDRESS.test(value);
}
