/** Sessions of clients at servers: one for each client and server, opened when it is first needed. */
import { ALL_CAPABILITIES } from "../messages/client-capabilities.ts";
import { findPath } from "../messages/json-scanner.ts";
import { SUBSCRIBE } from "../messages/methods.ts";
import type { RequestingServer } from "../sessions/server-requests.ts";
import type { Session } from "../sessions/session.ts";
import type { CatalogTarget } from "./catalog/catalog.ts";
import type { Backend } from "./members/backend.ts";
import type { Upstream, UpstreamHandler } from "./upstream/upstream.ts";

/** The connection of one client, or of all clients of a caller that have no sessions, to one server. */
export interface Link extends RequestingServer {
  readonly backend: Backend;
  /** Absent where several share it. */
  readonly session: Session | undefined;
  /** Present once it is open. */
  upstream: Upstream | undefined;
  readonly opening: Promise<Upstream>;
  /** Ids of the requests that went this way and have no answer. */
  readonly pendingIds: Set<number>;
  isClosed: boolean;
  usedAt: number;
}

export interface LinksOptions {
  readonly now: () => number;
  readonly createHandler: (link: Link) => UpstreamHandler;
  /** The one server that has a resource, and its own URI there. */
  readonly findResource: (uri: string) => CatalogTarget | undefined;
  /** Sends a request whose answer is of no interest. */
  readonly sendUnawaited: (link: Link, method: string, params: Readonly<Record<string, unknown>>) => void;
}

export class Links {
  readonly #options: LinksOptions;
  readonly #own = new Map<Session, Map<Backend, Link>>();
  /** By the server, then by who its callers are. */
  readonly #shared = new Map<Backend, Map<string, Link>>();
  /** Levels of logging that sessions have set. */
  readonly #levels = new WeakMap<Session, string>();

  constructor(options: LinksOptions) {
    this.#options = options;
  }

  *[Symbol.iterator](): IterableIterator<Link> {
    for (const links of this.#own.values()) yield* links.values();
    for (const links of this.#shared.values()) yield* links.values();
  }

  /** @param isLasting Whether a client without a session stays connected, and needs one of its own. */
  open(session: Session, backend: Backend, isLasting = false): Link {
    const isShared = session.transport === "stateless" && !isLasting && !backend.isLocal;
    const link = isShared
      ? openIn(this.#shared, backend, session.caller.id, () => this.#create(backend, undefined))
      : openIn(this.#own, session, backend, () => this.#create(backend, session));
    link.usedAt = this.#options.now();
    return link;
  }

  /** @returns Those of one session. */
  list(session: Session): Link[] {
    return [...(this.#own.get(session)?.values() ?? [])];
  }

  setLevel(session: Session, level: string): void {
    this.#levels.set(session, level);
    for (const link of this.list(session)) if (link.upstream) this.#sendLevel(link, link.upstream);
  }

  /** Forgets a link. A further request opens another one. */
  drop(link: Link): void {
    link.isClosed = true;
    link.upstream?.close();
    if (link.session === undefined) removeFrom(this.#shared, link.backend, link);
    else removeFrom(this.#own, link.session, link);
  }

  #create(backend: Backend, session: Session | undefined): Link {
    let start: () => void = () => undefined;
    const opening = new Promise<void>((resolve) => {
      start = resolve;
    }).then(() => this.#connect(link));
    const link: Link = {
      backend,
      session,
      upstream: undefined,
      opening,
      pendingIds: new Set(),
      isClosed: false,
      usedAt: this.#options.now(),
      send: (message) => link.upstream?.send([message], undefined),
    };
    // Callers that send over the link receive its failure.
    opening.catch(() => this.drop(link));
    start();
    return link;
  }

  async #connect(link: Link): Promise<Upstream> {
    const { backend, session } = link;
    const isSessionless = session === undefined || session.transport === "stateless";
    const capabilities = isSessionless ? ALL_CAPABILITIES : (session.client.details ?? {});
    const upstream = await backend.open(capabilities, this.#options.createHandler(link));
    if (link.isClosed) {
      upstream.close();
      throw new Error("its client has left");
    }
    link.upstream = upstream;
    this.#sendLevel(link, upstream);
    this.#restoreSubscriptions(link);
    return upstream;
  }

  #sendLevel(link: Link, { result }: Upstream): void {
    const level = link.session && this.#levels.get(link.session);
    if (level === undefined || findPath(result, 0, ["capabilities", "logging"]) === undefined) return;
    this.#options.sendUnawaited(link, "logging/setLevel", { level });
  }

  /** What the client is subscribed to at this server; a session before may have ended there. */
  #restoreSubscriptions(link: Link): void {
    const { session, backend } = link;
    for (const uri of session?.subscriptions ?? []) {
      const target = this.#options.findResource(uri);
      if (target?.server === backend.name) this.#options.sendUnawaited(link, SUBSCRIBE, { uri: target.own });
    }
  }
}

function openIn<Outer, Inner>(all: Map<Outer, Map<Inner, Link>>, outer: Outer, inner: Inner, create: () => Link): Link {
  let links = all.get(outer);
  if (links === undefined) {
    links = new Map();
    all.set(outer, links);
  }
  const known = links.get(inner);
  if (known !== undefined) return known;
  const link = create();
  links.set(inner, link);
  return link;
}

function removeFrom<Outer, Inner>(all: Map<Outer, Map<Inner, Link>>, outer: Outer, link: Link): void {
  const links = all.get(outer);
  for (const [inner, known] of links ?? []) if (known === link) links?.delete(inner);
  if (links?.size === 0) all.delete(outer);
}
