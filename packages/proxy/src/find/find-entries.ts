/**
 * Finds servers of registries by a part of a name, and by a need in words ("read a database"). Needs are ranked as `find_tool` ranks
 * tools: an entry is one tool, whose title has its tags, whose description is its own, and whose parameters are the names of its tools.
 */
import { type JoinedEntry, type RegistryEntry, searchServers } from "@toolhive/core";
import { ENTRY_WEIGHTS, ToolIndex } from "./tool-index.ts";

/** Entries that a need finds at most. */
const MAX_FOUND = 12;
/** Registries whose index is kept: one list is searched again at each key press. */
const MAX_KEPT = 2;

interface Kept {
  readonly entries: readonly JoinedEntry[];
  readonly index: ToolIndex;
}

const kept: Kept[] = [];

/**
 * @returns Entries whose name, tag or description has the text as it is, and then those that its words mean, where it has several or
 * nothing has it as it is; the best first.
 */
export function findEntries(entries: readonly JoinedEntry[], query: string): readonly JoinedEntry[] {
  const byEntry = new Map(entries.map((joined) => [joined.entry, joined]));
  const literal = searchServers([...byEntry.keys()], query).flatMap((entry) => byEntry.get(entry) ?? []);
  if (literal.length > 0 && !/\s/.test(query.trim())) return literal;
  const byReference = new Map(entries.map((joined) => [formatKey(joined), joined]));
  const meant = getIndex(entries)
    .search(query, MAX_FOUND)
    .flatMap(({ name }) => byReference.get(name) ?? []);
  return [...new Set([...literal, ...meant])];
}

function getIndex(entries: readonly JoinedEntry[]): ToolIndex {
  const same = kept.find(({ entries: each }) => isSame(each, entries));
  if (same) return same.index;
  const tools = entries.map((joined) => ({ name: formatKey(joined), text: describe(joined.entry) }));
  const index = new ToolIndex(tools, ENTRY_WEIGHTS);
  kept.unshift({ entries, index });
  kept.length = Math.min(kept.length, MAX_KEPT);
  return index;
}

/** An entry does not change while its registry is used, so that a list of the same entries is the same list. */
function isSame(left: readonly JoinedEntry[], right: readonly JoinedEntry[]): boolean {
  return left.length === right.length && left.every(({ entry }, at) => entry === right[at]?.entry);
}

function formatKey({ source, entry }: JoinedEntry): string {
  return source === "default" ? entry.name : `${source}/${entry.name}`;
}

/** As a server would list it. */
function describe({ title, description, tags = [], tools }: RegistryEntry): string {
  const words = [title ?? "", ...tags.map((tag) => tag.replaceAll("-", " "))].join(" ");
  return JSON.stringify({
    title: words,
    description,
    inputSchema: { properties: Object.fromEntries(tools.map((tool) => [tool, {}])) },
  });
}
