/** `thv registry list` and `thv search` */
import { entryBodies, entryBody, type RemoteServerBody, type ServerBody } from "@toolhive/api/registry-entities";
import { listEntries, type Registry, searchServers } from "@toolhive/core";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { findNearest } from "../../command-line/suggest.ts";
import { printTable } from "../../terminal/table.ts";
import { loadRegistry, warnOfSkipped } from "../shared/open-registry.ts";
import type { REGISTRY_LIST, SEARCH } from "./definition.ts";

type EntryBody = ServerBody | RemoteServerBody;

/** Characters of a description in a table. */
const SHOWN_DESCRIPTION = 60;

export const registryList: CommandHandler<typeof REGISTRY_LIST> = async (input, context) => {
  const { registry } = await loadRegistry(context);
  if (input.skipped) {
    printSkipped(registry, input.format, context);
    return;
  }
  const servers = entryBodies(registry);
  if (input.format === "json") printJson(servers, context);
  else if (servers.length === 0) context.terminal.info("The registry lists no servers.");
  else {
    const rows = servers.map((server) => [server.name, shortDescription(server), server.tier, ...popularity(server)]);
    printServers(["NAME", "DESCRIPTION", "TIER", "STARS", "PULLS"], rows, context);
  }
  warnOfSkipped(registry, context);
};

function printSkipped({ skipped }: Registry, format: string, { terminal }: CommandContext): void {
  if (format === "json") terminal.printJson(skipped);
  else if (skipped.length === 0) terminal.info("Every entry of the registry can be used.");
  else printTable({ header: ["NAME", "REASON"], rows: skipped.map(({ name, reason }) => [name, reason]) }, terminal);
}

export const search: CommandHandler<typeof SEARCH> = async (input, context) => {
  const [query] = input.positionals;
  const { registry } = await loadRegistry(context);
  const servers = find(registry, query);
  if (input.format === "json") printJson(servers, context);
  else if (servers.length === 0) {
    const meant = findNearest(
      query,
      listEntries(registry).map(({ name }) => name),
    );
    context.terminal.info(
      `No server matches "${query}". ${meant ? `Did you mean: thv search ${meant}` : "See all of them: thv registry list"}`,
    );
  } else {
    context.terminal.info(`${servers.length} ${servers.length === 1 ? "server matches" : "servers match"} "${query}".`);
    const rows = servers.map((server) => [
      server.name,
      shortDescription(server),
      server.transport,
      ...popularity(server),
    ]);
    printServers(["NAME", "DESCRIPTION", "TRANSPORT", "STARS", "PULLS"], rows, context);
  }
};

function printServers(header: readonly string[], rows: readonly string[][], { terminal }: CommandContext): void {
  printTable({ header, rows, cut: "DESCRIPTION", spare: ["PULLS", "STARS"] }, terminal);
}

function find(registry: Registry, query: string): EntryBody[] {
  return searchServers(listEntries(registry), query).map(entryBody);
}

function printJson(servers: readonly EntryBody[], { terminal }: CommandContext): void {
  terminal.printJson(servers);
}

function shortDescription(server: EntryBody): string {
  const { description, status } = server;
  const marks = `${status === "Deprecated" ? "DEPRECATED " : ""}${"url" in server ? "REMOTE " : ""}`;
  const text = `${marks}${description}`.replace(/\s+/g, " ");
  return text.length <= SHOWN_DESCRIPTION ? text : `${text.slice(0, SHOWN_DESCRIPTION - 3).trimEnd()}...`;
}

function popularity({ metadata }: EntryBody): [stars: string, pulls: string] {
  return [String(metadata?.stars ?? 0), String(metadata?.pulls ?? 0)];
}
