/** What all servers of a group offer together: the lists that clients see, and which server is meant by a name or a URI. */
import { formatFullName, type GroupNaming, type ImitatedName } from "@toolhive/core";
import { readString } from "../../messages/json-rpc.ts";
import { findMembers } from "../../messages/json-scanner.ts";
import { type Definition, type Definitions, LIST_NAMES, type ListName, showDefinition } from "./definitions.ts";
import { assignNames, type NamedOffer } from "./names.ts";
import { ResourceOwners } from "./resource-owners.ts";
import { formatGroupUri, parseGroupUri } from "./uris.ts";

export interface CatalogServer {
  readonly name: string;
  readonly definitions: Definitions;
  /** Whether clients see it. One that is stopped counts for names all the same. */
  readonly isShown: boolean;
}

/** What a client means. */
export interface CatalogTarget {
  readonly server: string;
  /** The server's own name or URI. */
  readonly own: string;
}

/** A URI that several servers could mean. */
export interface AmbiguousTarget {
  /** What clients use in its place, one for each server. */
  readonly addresses: readonly string[];
}

export interface CatalogTool {
  readonly server: string;
  /** The server's own. */
  readonly name: string;
  readonly description: string | undefined;
}

/** Something that clients cannot see because of its name. */
export interface HiddenOffer {
  readonly server: string;
  readonly list: ListName;
  readonly name: string;
  readonly hiddenBy: string;
}

export type NamedList = "tools" | "prompts";

export class Catalog {
  /** Entries of each list, as JSON with commas between. */
  readonly texts: Readonly<Record<ListName, string>>;
  readonly hidden: readonly HiddenOffer[];
  /** Sorted by server; tools first. */
  readonly imitated: readonly ImitatedName[];
  readonly #servers: readonly CatalogServer[];
  readonly #names: Readonly<Record<NamedList, ReadonlyMap<string, CatalogTarget>>>;
  /** Names that are shown, by `server__name`. */
  readonly #fullNames: Readonly<Record<NamedList, ReadonlyMap<string, string>>>;
  /** Names of tools that are shown, by `server/tool`. */
  readonly #shownTools: ReadonlyMap<string, string>;
  readonly #owners: ResourceOwners;

  constructor(servers: readonly CatalogServer[], naming: GroupNaming) {
    this.#servers = [...servers].sort((left, right) => (left.name < right.name ? -1 : 1));
    const tools = this.#assign("tools", naming);
    const prompts = this.#assign("prompts", naming);
    this.#names = { tools: indexShown(tools), prompts: indexShown(prompts) };
    this.#fullNames = { tools: indexFull(tools), prompts: indexFull(prompts) };
    this.#shownTools = indexByOwn(tools);
    this.#owners = new ResourceOwners(this.#servers);
    this.hidden = [
      ...tools.flatMap((offer) => describeHidden(offer, "tools")),
      ...prompts.flatMap((offer) => describeHidden(offer, "prompts")),
    ].filter(({ server }) => this.#findServer(server)?.isShown);
    this.imitated = [...describeImitated(tools, "tools"), ...describeImitated(prompts, "prompts")];
    this.texts = {
      tools: this.#format("tools", readShown(this.#shownTools)),
      prompts: this.#format("prompts", readShown(indexByOwn(prompts))),
      resources: this.#format("resources", (server, uri) => this.#owners.showUri(server, uri)),
      templates: this.#format("templates", (server, template) => this.#owners.showTemplate(server, template)),
    };
  }

  /** The name that is shown for one that may be spelled `server__name`. */
  findShown(list: NamedList, name: string): string {
    return this.#names[list].has(name) ? name : (this.#fullNames[list].get(name) ?? name);
  }

  /** @param name As it is shown. */
  find(list: NamedList, name: string): CatalogTarget | undefined {
    return this.#names[list].get(name);
  }

  /** @returns The name that clients see; `undefined` when there is no such tool, or another server's hides it. */
  findShownTool(server: string, own: string): string | undefined {
    return this.#shownTools.get(formatOwnKey(server, own));
  }

  /** The server of a resource: the only one that lists it or has a template that fits, else the only one with resources at all. */
  findResource(uri: string): CatalogTarget | AmbiguousTarget | undefined {
    const named = parseGroupUri(uri);
    if (named !== undefined) return this.#findServer(named.server) && named;
    return this.#choose(uri, this.#owners.findOwners(uri)) ?? this.#findOnlyWithResources(uri);
  }

  /** @param template As it is shown. */
  findTemplate(template: string): CatalogTarget | AmbiguousTarget | undefined {
    const named = parseGroupUri(template);
    if (named !== undefined) return this.#findServer(named.server) && named;
    return this.#choose(template, this.#owners.findTemplateHolders(template)) ?? this.findResource(template);
  }

  /** The tools of the servers that clients see, sorted by server. */
  listTools(): (CatalogTool & { readonly shown: string })[] {
    return this.#servers.flatMap(({ name: server, definitions, isShown }) => {
      if (!isShown) return [];
      const seen = new Set<string>();
      return definitions.lists.tools.flatMap(({ name, text }) => {
        if (seen.has(name)) return [];
        seen.add(name);
        const shown = this.findShownTool(server, name);
        return shown === undefined ? [] : [{ server, name, shown, description: readDescription(text) }];
      });
    });
  }

  /** By server. @param isOffered Whether a name may be seen at all. */
  countTools(
    isOffered: (shown: string) => boolean,
  ): ReadonlyMap<string, { readonly offered: number; readonly hidden: number }> {
    const counts = new Map<string, { offered: number; hidden: number }>();
    for (const { name, isShown } of this.#servers) if (isShown) counts.set(name, { offered: 0, hidden: 0 });
    for (const [shown, { server }] of this.#names.tools) {
      const count = counts.get(server);
      if (count === undefined) continue;
      if (isOffered(shown)) count.offered += 1;
      else count.hidden += 1;
    }
    return counts;
  }

  #findServer(name: string): CatalogServer | undefined {
    return this.#servers.find((server) => server.name === name);
  }

  #choose(own: string, servers: readonly string[]): CatalogTarget | AmbiguousTarget | undefined {
    const [server] = servers;
    if (server === undefined) return undefined;
    return servers.length === 1 ? { server, own } : { addresses: servers.map((each) => formatGroupUri(each, own)) };
  }

  #findOnlyWithResources(own: string): CatalogTarget | undefined {
    const [only, ...others] = this.#servers.filter(
      ({ definitions: { lists } }) => lists.resources.length > 0 || lists.templates.length > 0,
    );
    return only === undefined || others.length > 0 ? undefined : { server: only.name, own };
  }

  #assign(list: NamedList, naming: GroupNaming): NamedOffer[] {
    const offered = this.#servers.map(({ name, definitions }) => ({
      server: name,
      names: [...new Set(definitions.lists[list].map((each) => each.name))],
    }));
    return assignNames(offered, naming);
  }

  #format(list: ListName, choose: ChooseShown): string {
    const parts: string[] = [];
    for (const { name: server, definitions, isShown } of this.#servers) {
      if (!isShown) continue;
      const seen = new Set<string>();
      for (const definition of definitions.lists[list]) {
        // A server that has a name twice means one thing by it.
        if (seen.has(definition.name)) continue;
        seen.add(definition.name);
        const shown = choose(server, definition.name);
        if (shown !== undefined) parts.push(formatEntry(definition, shown));
      }
    }
    return parts.join(",");
  }
}

export const EMPTY_CATALOG = new Catalog([], "auto");

/** Names of the lists that differ. */
export function listChanges(before: Catalog, after: Catalog): ListName[] {
  return LIST_NAMES.filter((list) => before.texts[list] !== after.texts[list]);
}

type ChooseShown = (server: string, own: string) => string | undefined;

function formatEntry(definition: Definition, shown: string): string {
  return showDefinition(definition, shown).toString("utf8");
}

function readShown(shown: ReadonlyMap<string, string>): ChooseShown {
  return (server, own) => shown.get(formatOwnKey(server, own));
}

function indexByOwn(offers: readonly NamedOffer[]): ReadonlyMap<string, string> {
  return new Map(
    offers.flatMap(({ server, own, shown }) => (shown === undefined ? [] : [[formatOwnKey(server, own), shown]])),
  );
}

/** No server's name has a slash. */
function formatOwnKey(server: string, own: string): string {
  return `${server}/${own}`;
}

function indexShown(offers: readonly NamedOffer[]): ReadonlyMap<string, CatalogTarget> {
  const index = new Map<string, CatalogTarget>();
  for (const { server, own, shown } of offers) if (shown !== undefined) index.set(shown, { server, own });
  return index;
}

function indexFull(offers: readonly NamedOffer[]): ReadonlyMap<string, string> {
  const index = new Map<string, string>();
  for (const { server, own, shown } of offers) {
    const full = formatFullName(server, own);
    if (shown !== undefined && !index.has(full)) index.set(full, shown);
  }
  return index;
}

function describeHidden({ server, own, hiddenBy }: NamedOffer, list: NamedList): HiddenOffer[] {
  return hiddenBy === undefined ? [] : [{ server, list, name: own, hiddenBy }];
}

function describeImitated(offers: readonly NamedOffer[], list: NamedList): ImitatedName[] {
  return offers.flatMap(({ server, own, readsLike }) =>
    readsLike === undefined ? [] : [{ server, list, name: own, readsLike }],
  );
}

function readDescription(text: Buffer): string | undefined {
  return readString(text, findMembers(text, 0, ["description"])?.spans[0]);
}
