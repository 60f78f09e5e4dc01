/** `thv registry list` and `thv search` */
import { type ServerBody, serverBodies } from "@toolhive/api/registry-entities";
import { type Registry, searchServers } from "@toolhive/core";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { findNearest } from "../../command-line/suggest.ts";
import { printTable } from "../../terminal/table.ts";
import { loadRegistry } from "../shared/open-registry.ts";
import type { REGISTRY_LIST, SEARCH } from "./definition.ts";

/** Characters of a description in a table. */
const SHOWN_DESCRIPTION = 60;

export const registryList: CommandHandler<typeof REGISTRY_LIST> = async (input, context) => {
  const { registry } = await loadRegistry(context);
  const servers = serverBodies(registry);
  if (input.format === "json") printJson(servers, context);
  else if (servers.length === 0) context.terminal.info("The registry lists no servers.");
  else {
    const rows = servers.map((server) => [server.name, shortDescription(server), server.tier, ...popularity(server)]);
    printServers(["NAME", "DESCRIPTION", "TIER", "STARS", "PULLS"], rows, context);
  }
};

export const search: CommandHandler<typeof SEARCH> = async (input, context) => {
  const [query] = input.positionals;
  const { registry } = await loadRegistry(context);
  const servers = find(registry, query);
  if (input.format === "json") printJson(servers, context);
  else if (servers.length === 0) {
    const meant = findNearest(
      query,
      registry.servers.map(({ name }) => name),
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

function find(registry: Registry, query: string): ServerBody[] {
  const bodies = new Map(serverBodies(registry).map((server) => [server.name, server]));
  return searchServers(registry.servers, query).flatMap(({ name }) => bodies.get(name) ?? []);
}

function printJson(servers: readonly ServerBody[], { terminal }: CommandContext): void {
  terminal.printJson(servers);
}

function shortDescription({ description, status }: ServerBody): string {
  const text = `${status === "Deprecated" ? "DEPRECATED " : ""}${description}`.replace(/\s+/g, " ");
  return text.length <= SHOWN_DESCRIPTION ? text : `${text.slice(0, SHOWN_DESCRIPTION - 3).trimEnd()}...`;
}

function popularity({ metadata }: ServerBody): [stars: string, pulls: string] {
  return [String(metadata?.stars ?? 0), String(metadata?.pulls ?? 0)];
}
