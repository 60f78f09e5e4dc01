/**
 * The sessions of one endpoint: bounded in number, forgotten when idle. Where callers are distinguished, each has a
 * share of its own: a caller cannot push out sessions of one that has no more than itself.
 */
import { randomUUID } from "node:crypto";
import type { EventStream } from "../http/event-stream.ts";
import type { Caller } from "../messages/caller.ts";
import type { ClientFacts } from "../messages/initialize-message.ts";
import type { Limits } from "../options/limits.ts";
import { Session, type SessionOptions } from "./session.ts";

export interface SessionStoreOptions {
  readonly limits: Limits;
  readonly now: () => number;
  /** Whether sessions belong to several callers. */
  readonly callersAreApart: boolean;
  /** Called once for each session that ends, before its streams close. */
  readonly onEnd: (session: Session, reason: string) => void;
}

export type NewSession = Pick<SessionOptions, "client" | "transport" | "caller" | "transform">;

export class SessionStore {
  /** Streams with a connection, over all sessions. */
  readonly attached = new Set<EventStream>();
  readonly #options: SessionStoreOptions;
  readonly #sessions = new Map<string, Session>();

  constructor(options: SessionStoreOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Iterates over the sessions that have been initialized. */
  *[Symbol.iterator](): IterableIterator<Session> {
    for (const session of this.#sessions.values()) if (session.isEstablished) yield session;
  }

  get hasEstablished(): boolean {
    for (const _ of this) return true;
    return false;
  }

  /** @returns `undefined` when the store is full and no idle session may be ended. */
  create({ transport, ...facts }: NewSession): Session | undefined {
    const { limits, now } = this.#options;
    if (!this.#makeRoom(facts.caller)) return undefined;
    const session: Session = new Session({
      ...facts,
      id: randomUUID(),
      transport,
      limits,
      now,
      attached: this.attached,
      onDetached: transport === "streamable-http" ? undefined : () => this.end(session, "the client closed its stream"),
    });
    this.#sessions.set(session.id, session);
    return session;
  }

  /** A session for one request, outside the store. */
  createForRequest(client: ClientFacts, caller: Caller): Session {
    const { limits, now } = this.#options;
    const session = new Session({
      id: randomUUID(),
      client,
      caller,
      transport: "stateless",
      limits,
      now,
      attached: this.attached,
    });
    session.isEstablished = true;
    return session;
  }

  /**
   * Finds a caller's session and marks it as used. @returns `undefined` also for a session of another caller, which
   * must not learn that it exists.
   */
  claim(id: string, caller: Caller): Session | undefined {
    const session = this.#sessions.get(id);
    if (session?.caller.id !== caller.id) return undefined;
    // The token may have been renewed, with other claims about the same person.
    session.caller = caller;
    return session;
  }

  /** Ending a session twice is allowed. */
  end(session: Session, reason: string): void {
    if (!this.#sessions.delete(session.id)) return;
    this.#options.onEnd(session, reason);
    session.close();
  }

  endAll(reason: string): void {
    for (const session of [...this.#sessions.values()]) this.end(session, reason);
  }

  sweep(now: number): void {
    for (const session of [...this.#sessions.values()]) {
      session.sweep(now);
      const isIdle = now - session.lastUsedAt >= this.#options.limits.sessionIdleMs;
      if (isIdle && !session.isInUse) this.end(session, "the session was idle for too long");
    }
    for (const stream of [...this.attached]) stream.sweep(now);
  }

  #makeRoom(caller: Caller): boolean {
    const { limits, callersAreApart } = this.#options;
    const isFull = this.#sessions.size >= limits.maxSessions;
    if (!callersAreApart) return !isFull || this.#evictIdle(() => true);
    const counts = new Map<string, number>();
    for (const { caller: owner } of this.#sessions.values()) counts.set(owner.id, (counts.get(owner.id) ?? 0) + 1);
    const own = counts.get(caller.id) ?? 0;
    const isOwn = (session: Session): boolean => session.caller.id === caller.id;
    if (own >= limits.maxCallerSessions) return this.#evictIdle(isOwn);
    if (!isFull) return true;
    // The caller with the most sessions gives one up, if it keeps at least as many as the new session's caller gets.
    const most = Math.max(...counts.values());
    const isOfLargest = (session: Session): boolean => counts.get(session.caller.id) === most;
    return (most >= own + 2 && this.#evictIdle(isOfLargest)) || this.#evictIdle(isOwn);
  }

  #evictIdle(mayGo: (session: Session) => boolean): boolean {
    let oldest: Session | undefined;
    for (const session of this.#sessions.values()) {
      if (session.isInUse || !mayGo(session) || (oldest !== undefined && oldest.lastUsedAt <= session.lastUsedAt))
        continue;
      oldest = session;
    }
    if (oldest === undefined) return false;
    this.end(oldest, "the session gave way to a new one");
    return true;
  }
}
