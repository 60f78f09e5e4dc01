/**
 * Resource subscriptions of many sessions on one server: the server sees one subscription per resource, which ends with
 * its last subscriber.
 */
import { SUBSCRIBE, UNSUBSCRIBE } from "../messages/methods.ts";
import type { Session } from "./session.ts";

export interface SubscriptionsOptions {
  readonly sessions: Iterable<Session>;
  readonly maxPerSession: number;
  /** Sends a request of the endpoint itself; its answer is of no interest. */
  readonly send: (method: string, params: Readonly<Record<string, unknown>>) => void;
}

export class Subscriptions {
  readonly #options: SubscriptionsOptions;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  get hasAny(): boolean {
    for (const session of this.#options.sessions) if (session.subscriptions.size > 0) return true;
    return false;
  }

  /** Applies a client's subscribe or unsubscribe request. @returns How to answer it. */
  applyRequest(session: Session, method: string, uri: string): "forward" | "answer" | "refuse" {
    if (method === SUBSCRIBE) {
      if (session.subscriptions.size >= this.#options.maxPerSession) return "refuse";
      session.subscriptions.add(uri);
    } else if (method === UNSUBSCRIBE) {
      session.subscriptions.delete(uri);
      if (this.#hasSubscriber(uri, session)) return "answer";
    }
    return "forward";
  }

  /** Whether a session is subscribed to a resource or to one that contains it. */
  static isSubscribed(session: Session, uri: string): boolean {
    if (session.subscriptions.has(uri)) return true;
    for (const subscribed of session.subscriptions) {
      const prefix = subscribed.endsWith("/") ? subscribed : `${subscribed}/`;
      if (uri.startsWith(prefix)) return true;
    }
    return false;
  }

  /** @returns Whether the server needs a request: no other session has subscribed. */
  add(session: Session, uri: string): boolean {
    if (session.subscriptions.size >= this.#options.maxPerSession) return false;
    const isFirst = !this.#hasSubscriber(uri, session);
    session.subscriptions.add(uri);
    return isFirst;
  }

  /** The server did not accept the subscription. */
  revoke(session: Session, uri: string): void {
    session.subscriptions.delete(uri);
  }

  /** Subscribes a new process to everything that living sessions wait for. */
  restore(): void {
    const uris = new Set<string>();
    for (const session of this.#options.sessions) for (const uri of session.subscriptions) uris.add(uri);
    for (const uri of uris) this.#options.send(SUBSCRIBE, { uri });
  }

  endSession(session: Session): void {
    for (const uri of session.subscriptions) {
      if (!this.#hasSubscriber(uri, session)) this.#options.send(UNSUBSCRIBE, { uri });
    }
  }

  #hasSubscriber(uri: string, except: Session): boolean {
    for (const session of this.#options.sessions) if (session !== except && session.subscriptions.has(uri)) return true;
    return false;
  }
}
