/** Edits one member of a block mapping in a YAML file by its lines: everything outside the member stays as it is. */
import { isMap, isScalar, type Pair, type YAMLMap } from "yaml";
import { parseYamlDocument, readYamlValue } from "../files/parse-yaml.ts";

export function parseYaml(text: string): unknown {
  const document = parseYamlDocument(text);
  const [error] = document.errors;
  if (error) throw new Error(`it is not YAML${error.linePos ? ` (line ${error.linePos[0].line})` : ""}`);
  const value = readYamlValue(document);
  if (value === undefined) throw new Error("it uses too many aliases");
  return value;
}

/** @param path The mapping at the top, and the member in it. */
export function setYamlMember(text: string, [top, name]: readonly [string, string], value: object): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const found = removeYamlMember(text, [top, name]);
  const pair = findPair(parseYamlDocument(found).contents, top);
  const indent = pair && isMap(pair.value) && pair.value.items[0] ? findColumn(found, pair.value.items[0]) : "  ";
  const lines = [
    `${indent}${formatScalar(name)}:`,
    ...Object.entries(value).map(([key, item]) => `${indent}  ${formatScalar(key)}: ${formatScalar(item)}`),
  ].map((line) => `${line}${eol}`);
  if (!pair) {
    const gap = found === "" || found.endsWith("\n") ? "" : eol;
    return `${found}${gap}${formatScalar(top)}:${eol}${lines.join("")}`;
  }
  const key = findStart(pair);
  const lineEnd = found.indexOf("\n", key);
  const after = lineEnd === -1 ? found.length : lineEnd + 1;
  const head = found.slice(0, after);
  // An empty mapping in braces, or nothing at all, becomes a block.
  const isOpen = !isMap(pair.value) || !pair.value.flow;
  const opened = isOpen ? head : head.replace(/\{[ \t]*\}([^{}]*)$/, "$1").replace(/:[ \t]+(\r?\n?)$/, ":$1");
  const newline = opened.endsWith("\n") ? "" : eol;
  return `${opened}${newline}${lines.join("")}${found.slice(after)}`;
}

export function removeYamlMember(text: string, [top, name]: readonly [string, string]): string {
  const owner = findPair(parseYamlDocument(text).contents, top);
  const pair = owner && isMap(owner.value) && !owner.value.flow ? findPair(owner.value, name) : undefined;
  if (!pair || !isMap(owner?.value)) return text;
  const start = text.lastIndexOf("\n", findStart(pair)) + 1;
  const indent = findStart(pair) - start;
  // To the next line that is indented no deeper.
  let end = text.indexOf("\n", findStart(pair)) + 1 || text.length;
  while (end < text.length) {
    const line = text.slice(end, text.indexOf("\n", end) + 1 || text.length);
    if (line.trim() === "" || (/^ */.exec(line)?.[0].length ?? 0) <= indent) break;
    end += line.length;
  }
  const isLast = owner.value.items.length === 1;
  const head = text.slice(0, start);
  // A mapping without members needs braces.
  const owning = head.lastIndexOf("\n", head.length - 2) + 1;
  const line = head.slice(owning).replace(/:([ \t]*(?:#.*)?\r?\n)$/, ": {}$1");
  return (isLast ? head.slice(0, owning) + line : head) + text.slice(end);
}

function findPair(map: unknown, key: string): Pair | undefined {
  if (!isMap(map)) return undefined;
  return (map as YAMLMap).items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function findStart(pair: Pair): number {
  return isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
}

function findColumn(text: string, pair: Pair): string {
  const start = findStart(pair);
  return text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
}

/** JSON's scalars are YAML's; plain words stay plain. */
function formatScalar(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  const isPlain = /^[A-Za-z_][A-Za-z0-9_-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}
