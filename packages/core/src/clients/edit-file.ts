/** Sets or removes one server's entry in the text of a client's file, and proves that nothing else has changed. */
import { isDeepStrictEqual } from "node:util";
import { isRecord } from "@toolhive/http/values";
import type { ClientFile, EntryFormat } from "./client-types.ts";
import { parseJsonWithComments, removeJsonMember, setJsonMember } from "./edit-json.ts";
import { parseToml, removeTomlTable, setTomlTable } from "./edit-toml.ts";
import { parseYaml, removeYamlMember, setYamlMember } from "./edit-yaml.ts";

const BOM = "\uFEFF";

type Tree = { [key: string]: unknown };

const PARSE: Readonly<Record<EntryFormat, (text: string) => unknown>> = {
  json: parseJsonWithComments,
  toml: parseToml,
  yaml: parseYaml,
};

/**
 * @param entry `undefined` removes it.
 * @returns The text with the entry; the same text when there is nothing to change.
 * @throws {Error} saying why the file cannot be edited.
 */
export function editEntry(original: string, file: Omit<ClientFile, "path">, name: string, entry: object | undefined) {
  const bom = original.startsWith(BOM) ? BOM : "";
  const text = original.slice(bom.length);
  const isBlank = text.trim() === "";
  if (isBlank && !entry) return original;
  const base = isBlank && file.format === "json" ? "{}\n" : text;
  const before = parseFile(base, file.format);
  if (!isRecord(before)) throw new Error("it does not hold an object");
  const wanted = buildWantedTree(before, [...file.servers, name], entry, file.format === "toml");
  if (isDeepStrictEqual(before, wanted)) return original;
  const edited = apply(base, file, name, entry);
  if (!isDeepStrictEqual(parseFile(edited, file.format), wanted)) {
    throw new Error(`its "${file.servers.join(".")}" is written in a way that cannot be edited safely`);
  }
  return bom + edited;
}

/** Names of the servers in it. @throws {Error} saying why the file cannot be read. */
export function listEntries(text: string, file: Omit<ClientFile, "path">): string[] {
  const content = text.startsWith(BOM) ? text.slice(BOM.length) : text;
  let found: unknown = content.trim() === "" ? {} : parseFile(content, file.format);
  for (const member of file.servers) {
    const isTree = typeof found === "object" && found !== null && Object.hasOwn(found, member);
    found = isTree ? (found as Tree)[member] : undefined;
  }
  return typeof found === "object" && found !== null ? Object.keys(found) : [];
}

function apply(
  text: string,
  { format, servers }: Omit<ClientFile, "path">,
  name: string,
  entry: object | undefined,
): string {
  const path = [...servers, name];
  switch (format) {
    case "json":
      return entry ? setJsonMember(text, path, entry) : removeJsonMember(text, path);
    case "toml":
      return entry ? setTomlTable(text, path, entry as Tree) : removeTomlTable(text, path);
    case "yaml": {
      const member = [servers[0] ?? "", name] as const;
      return entry ? setYamlMember(text, member, entry) : removeYamlMember(text, member);
    }
  }
}

/** Parsers differ in the prototype of their objects; a large file is copied only where they differ. */
function parseFile(text: string, format: EntryFormat): unknown {
  const value = PARSE[format](text);
  return format === "toml" ? toPlain(value) : value;
}

function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  const prototype: unknown = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : undefined;
  if (prototype !== null && prototype !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, toPlain(item)]));
}

/**
 * The tree that the file should hold afterwards. A mapping that loses its last member stays, empty; in TOML it
 * disappears.
 */
function buildWantedTree(
  tree: Tree,
  [key = "", ...rest]: readonly string[],
  entry: object | undefined,
  dropsEmpty: boolean,
): Tree {
  const inner = Object.hasOwn(tree, key) ? tree[key] : undefined;
  if (rest.length === 0) {
    if (entry) return { ...tree, [key]: entry };
    return Object.fromEntries(Object.entries(tree).filter(([other]) => other !== key));
  }
  if (inner === undefined || inner === null) {
    if (!entry) return tree;
    return { ...tree, [key]: buildWantedTree({}, rest, entry, dropsEmpty) };
  }
  if (typeof inner !== "object" || Array.isArray(inner)) throw new Error(`its "${key}" is not an object`);
  const next = buildWantedTree(inner as Tree, rest, entry, dropsEmpty);
  if (!entry && dropsEmpty && Object.keys(next).length === 0)
    return buildWantedTree(tree, [key], undefined, dropsEmpty);
  return { ...tree, [key]: next };
}
