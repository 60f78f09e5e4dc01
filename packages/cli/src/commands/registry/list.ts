/** `thv registry list` and `thv search` */
import { catalogGroupBodies, entryBody, type RemoteServerBody, type ServerBody } from "@toolhive/api/registry-entities";
import { DEFAULT_SOURCE, type JoinedEntry, joinSources, type SkippedEntry, type SourceState } from "@toolhive/core";
import { findEntries } from "@toolhive/proxy/find-entries";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { findNearest } from "../../command-line/suggest.ts";
import { printTable } from "../../terminal/table.ts";
import { loadSources, noteBundled, warnOfSkipped } from "../shared/open-registry.ts";
import type { REGISTRY_LIST, SEARCH } from "./definition.ts";

type EntryBody = ServerBody | RemoteServerBody;

/** Characters of a description in a table. */
const SHOWN_DESCRIPTION = 60;

export const registryList: CommandHandler<typeof REGISTRY_LIST> = async (input, context) => {
  const states = await loadSources(context, input.source);
  const skipped = states.flatMap(({ loaded }) => loaded?.registry.skipped ?? []);
  if (input.skipped) {
    printSkipped(skipped, input.format, context);
    return;
  }
  if (input.groups) {
    printGroups(states, input.format, context);
    return;
  }
  if (input.search !== undefined) printFound({ ...input, query: input.search, states }, context);
  else {
    const entries = joinSources(states);
    if (input.format === "json") printJson(entries, context);
    else if (entries.length === 0) context.terminal.info("The registry lists no servers.");
    else printServers({ entries, states, column: "TIER" }, context);
  }
  warnOfSkipped({ skipped }, context);
};

function printGroups(states: readonly SourceState[], format: string, { terminal }: CommandContext): void {
  const groups = catalogGroupBodies(states);
  if (format === "json") terminal.printJson(groups);
  else if (groups.length === 0) terminal.info("No registry names servers that are used together.");
  else {
    const rows = groups.map(({ name, source, references, description }) => [
      name,
      source,
      references.join(", "),
      description,
    ]);
    printTable({ header: ["NAME", "SOURCE", "SERVERS", "DESCRIPTION"], rows, cut: "DESCRIPTION" }, terminal);
  }
}

function printSkipped(skipped: readonly SkippedEntry[], format: string, { terminal }: CommandContext): void {
  if (format === "json") terminal.printJson(skipped);
  else if (skipped.length === 0) terminal.info("Every entry of the registry can be used.");
  else printTable({ header: ["NAME", "REASON"], rows: skipped.map(({ name, reason }) => [name, reason]) }, terminal);
}

export const search: CommandHandler<typeof SEARCH> = async (input, context) => {
  const [query] = input.positionals;
  printFound({ ...input, query, states: await loadSources(context, input.source) }, context);
};

interface Found {
  readonly format: "text" | "json";
  readonly query: string;
  readonly states: readonly SourceState[];
}

function printFound({ format, query, states }: Found, context: CommandContext): void {
  const all = joinSources(states);
  const entries = findEntries(all, query);
  if (format === "json") printJson(entries, context);
  else if (entries.length === 0) {
    const meant = findNearest(
      query,
      all.map(({ entry }) => entry.name),
    );
    context.terminal.info(
      `No server matches "${query}". ${meant ? `Did you mean: thv search ${meant}` : "See all of them: thv registry list"}`,
    );
  } else {
    context.terminal.info(`${entries.length} ${entries.length === 1 ? "server matches" : "servers match"} "${query}".`);
    printServers({ entries, states, column: "TRANSPORT" }, context);
  }
}

interface Shown {
  readonly entries: readonly JoinedEntry[];
  readonly states: readonly SourceState[];
  readonly column: "TIER" | "TRANSPORT";
}

function printServers({ entries, states, column }: Shown, context: CommandContext): void {
  const hasSources = entries.some(({ source }) => source !== DEFAULT_SOURCE);
  const rows = entries.map(({ entry, reference, source }) => [
    reference,
    shortDescription(entry),
    ...(hasSources ? [source] : []),
    column === "TIER" ? entry.tier : entry.transport,
    ...popularity(entry),
  ]);
  const header = ["NAME", "DESCRIPTION", ...(hasSources ? ["SOURCE"] : []), column, "STARS", "PULLS"];
  printTable({ header, rows, cut: "DESCRIPTION", spare: ["PULLS", "STARS"] }, context.terminal);
  noteBundled(states, context);
}

function printJson(entries: readonly JoinedEntry[], { terminal }: CommandContext): void {
  terminal.printJson(entries.map(({ entry, source, reference }) => ({ ...entryBody(entry), source, reference })));
}

function shortDescription(server: Pick<EntryBody, "description" | "status">): string {
  const { description, status } = server;
  const marks = `${status === "Deprecated" ? "DEPRECATED " : ""}${"url" in server ? "REMOTE " : ""}`;
  const text = `${marks}${description}`.replace(/\s+/g, " ");
  return text.length <= SHOWN_DESCRIPTION ? text : `${text.slice(0, SHOWN_DESCRIPTION - 3).trimEnd()}...`;
}

function popularity({ metadata }: Pick<EntryBody, "metadata">): [stars: string, pulls: string] {
  return [String(metadata?.stars ?? 0), String(metadata?.pulls ?? 0)];
}
