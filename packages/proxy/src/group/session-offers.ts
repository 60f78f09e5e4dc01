/**
 * What single clients are offered by servers that offer more, or less, in some sessions than in others: after a login, for
 * example. A server says so in the client's session, which is then asked for its lists.
 */
import type { GroupNaming, Logger } from "@toolhive/core";
import { describeError } from "@toolhive/core/errors";
import { createNotification, type Envelope, readEnvelope } from "../messages/json-rpc.ts";
import type { GroupLimits } from "../options/group-limits.ts";
import { createReply, type Reply } from "../sessions/reply.ts";
import type { Session } from "../sessions/session.ts";
import { Catalog, type CatalogServer, EMPTY_CATALOG, listChanges } from "./catalog/catalog.ts";
import { type Definitions, isSameOffer, type ListName } from "./catalog/definitions.ts";
import type { Link } from "./links.ts";
import { ListReader } from "./members/list-reader.ts";

/** The notifications that clients receive when a list has changed. */
export const CHANGE_NOTIFICATIONS: Readonly<Record<ListName, string>> = {
  tools: "notifications/tools/list_changed",
  prompts: "notifications/prompts/list_changed",
  resources: "notifications/resources/list_changed",
  templates: "notifications/resources/list_changed",
};

interface SessionOffersOptions {
  /** The first rule. */
  readonly naming: GroupNaming;
  readonly limits: GroupLimits;
  readonly log: Logger;
}

/** What differs for one client. */
interface Own {
  /** By the server. */
  readonly definitions: Map<string, Definitions>;
  /** What the client sees while the servers offer the same to every client. */
  catalog: Catalog | undefined;
}

export class SessionOffers {
  readonly #options: SessionOffersOptions;
  readonly #own = new Map<Session, Own>();
  /** Links whose lists are being read, and whether they have changed again since. */
  readonly #reading = new Map<Link, boolean>();
  #naming: GroupNaming;
  #servers: readonly CatalogServer[] = [];
  #shared = EMPTY_CATALOG;

  constructor(options: SessionOffersOptions) {
    this.#options = options;
    this.#naming = options.naming;
  }

  /** What every client sees that has no offers of its own session. */
  get shared(): Catalog {
    return this.#shared;
  }

  /** From the next {@link setServers} on. */
  replaceNaming(naming: GroupNaming): void {
    this.#naming = naming;
  }

  /** @param servers With what they offer in the group's own session. */
  setServers(servers: readonly CatalogServer[]): void {
    this.#servers = servers;
    this.#shared = new Catalog(servers, this.#naming);
    for (const [session, own] of this.#own) {
      own.catalog = undefined;
      for (const { name, definitions } of servers) {
        const mine = own.definitions.get(name);
        if (mine !== undefined && isSameOffer(mine, definitions)) own.definitions.delete(name);
      }
      if (own.definitions.size === 0) this.#own.delete(session);
    }
  }

  findCatalog(session: Session): Catalog {
    const own = this.#own.get(session);
    if (own === undefined) return this.#shared;
    own.catalog ??= new Catalog(
      this.#servers.map((server) => ({
        ...server,
        definitions: own.definitions.get(server.name) ?? server.definitions,
      })),
      this.#naming,
    );
    return own.catalog;
  }

  /**
   * A server has said in a client's session that a list has changed.
   *
   * @param send Sends a request over the link.
   */
  async refresh(link: Link, send: (message: Envelope, reply: Reply) => void): Promise<void> {
    const { session, backend } = link;
    // All sessions of a process on stdio see the same, and the group's own is one of them.
    if (session === undefined || session.transport === "stateless" || backend.isLocal) return;
    if (this.#reading.has(link)) {
      this.#reading.set(link, true);
      return;
    }
    try {
      do {
        this.#reading.set(link, false);
        const definitions = await readOffer(link, this.#options.limits, send);
        if (link.isClosed || session.isClosed) return;
        this.#set(session, backend.name, definitions);
      } while (this.#reading.get(link) === true);
    } catch (error) {
      this.#options.log.debug(
        { server: backend.name, reason: describeError(error) },
        "lists of a session could not be read",
      );
    } finally {
      this.#reading.delete(link);
    }
  }

  /** The client's session at the server has ended. What it was offered there is over, too. */
  endLink({ session, backend }: Link): void {
    if (session !== undefined && this.#own.has(session)) this.#set(session, backend.name, undefined);
  }

  endSession(session: Session): void {
    this.#own.delete(session);
  }

  #set(session: Session, server: string, definitions: Definitions | undefined): void {
    const before = this.findCatalog(session);
    const own = this.#own.get(session) ?? { definitions: new Map<string, Definitions>(), catalog: undefined };
    const shared = this.#servers.find(({ name }) => name === server)?.definitions;
    if (definitions === undefined || shared === undefined || isSameOffer(definitions, shared))
      own.definitions.delete(server);
    else own.definitions.set(server, definitions);
    own.catalog = undefined;
    if (own.definitions.size === 0) this.#own.delete(session);
    else this.#own.set(session, own);
    if (session.isClosed) return;
    const changed = new Set(listChanges(before, this.findCatalog(session)).map((list) => CHANGE_NOTIFICATIONS[list]));
    for (const method of changed) session.standalone.push(createNotification(method));
  }
}

async function readOffer(
  { upstream }: Link,
  limits: GroupLimits,
  send: (message: Envelope, reply: Reply) => void,
): Promise<Definitions> {
  if (upstream === undefined) throw new Error("its session has ended");
  const reader = new ListReader(limits);
  const reply = createReply((answer) => reader.onMessage(answer));
  const ignore = (): void => undefined;
  reader.upstream = {
    ...{ result: upstream.result, isAttributed: true, forget: ignore, touch: ignore, close: ignore },
    send: (message) => {
      const envelope = readEnvelope(Buffer.concat(message));
      if (envelope !== undefined) send(envelope, reply);
    },
  };
  return await reader.readAll();
}
