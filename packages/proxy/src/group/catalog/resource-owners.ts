/**
 * The owner of a URI. Each server of a group may claim any URI, by listing it or by a template that fits it. So no server is
 * preferred: a URI that several servers could mean is shown, and accepted, below its server's name alone.
 */
import type { Definitions } from "./definitions.ts";
import { formatGroupUri, isGroupUri, UriTemplate } from "./uris.ts";

interface ServerOffer {
  readonly name: string;
  readonly definitions: Definitions;
}

/** Comparisons of templates with URIs and templates; a tenth of a second. When there are more, all get their server's name. */
const MAX_COMPARISONS = 2_000_000;
/** Characters that are compared in the time of one short URI. */
const SHORT_URI = 64;

export class ResourceOwners {
  /** Names of servers, sorted, by a URI that they list. */
  readonly #uris: ReadonlyMap<string, readonly string[]>;
  readonly #templateHolders: ReadonlyMap<string, readonly string[]>;
  readonly #templates: readonly { readonly server: string; readonly template: UriTemplate }[];
  readonly #templateServers: ReadonlySet<string>;
  readonly #isTooMany: boolean;

  /** @param servers Sorted by name. */
  constructor(servers: readonly ServerOffer[]) {
    this.#uris = listHolders(servers, "resources");
    this.#templateHolders = listHolders(servers, "templates");
    this.#templates = [...this.#templateHolders].flatMap(([text, holders]) => {
      const template = new UriTemplate(text);
      return holders.map((server) => ({ server, template }));
    });
    this.#templateServers = new Set(this.#templates.map(({ server }) => server));
    const compared = [...this.#uris.keys(), ...this.#templateHolders.keys()].reduce(
      (sum, { length }) => sum + Math.max(1, length / SHORT_URI),
      0,
    );
    this.#isTooMany = this.#templates.length * compared > MAX_COMPARISONS;
  }

  /** @returns Names of the servers that list a URI, or have a template that fits it; each occurs once. */
  findOwners(uri: string): readonly string[] {
    const fitting = this.#templates.filter(({ template }) => template.fits(uri));
    return [...new Set([...(this.#uris.get(uri) ?? []), ...fitting.map(({ server }) => server)])];
  }

  /** @returns Names of the servers that have exactly this template. */
  findTemplateHolders(template: string): readonly string[] {
    return this.#templateHolders.get(template) ?? [];
  }

  /** What clients see of a URI that a server lists. */
  showUri(server: string, uri: string): string {
    const isOwn = !isGroupUri(uri) && this.#uris.get(uri)?.length === 1 && !this.#isMeantByOthers(server, uri);
    return isOwn ? uri : formatGroupUri(server, uri);
  }

  /** The form of a template that clients see: a URI made from it must not be another server's, too. */
  showTemplate(server: string, text: string): string {
    const template = new UriTemplate(text);
    const isOwn =
      !isGroupUri(text) &&
      !this.#hasOther(server, (other) => other.overlaps(template)) &&
      this.#templateHolders.get(text)?.length === 1;
    return isOwn ? text : formatGroupUri(server, text);
  }

  #isMeantByOthers(server: string, uri: string): boolean {
    return this.#hasOther(server, (template) => template.fits(uri));
  }

  #hasOther(server: string, isMeant: (template: UriTemplate) => boolean): boolean {
    if (this.#isTooMany) return this.#templateServers.size > (this.#templateServers.has(server) ? 1 : 0);
    return this.#templates.some((each) => each.server !== server && isMeant(each.template));
  }
}

function listHolders(
  servers: readonly ServerOffer[],
  list: "resources" | "templates",
): ReadonlyMap<string, readonly string[]> {
  const holders = new Map<string, string[]>();
  for (const { name: server, definitions } of servers) {
    for (const uri of new Set(definitions.lists[list].map(({ name }) => name))) {
      const known = holders.get(uri);
      if (known) known.push(server);
      else holders.set(uri, [server]);
    }
  }
  return holders;
}
