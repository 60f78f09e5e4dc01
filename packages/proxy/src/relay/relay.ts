/**
 * What is behind the transports: one server process (`StdioRelay`), or the many servers of a group. Transports depend on nothing
 * else.
 */
import { formatLocalAuthority } from "@toolhive/http";
import type { BodyBudget } from "../http/body-budget.ts";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import type { Reply } from "../sessions/reply.ts";
import type { Session } from "../sessions/session.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import type { Admission } from "./admission.ts";

export interface Relay {
  readonly sessions: SessionStore;
  /** Reserves memory before a client's body is read. */
  readonly bodyBudget: BodyBudget;
  /** Decides which messages pass. */
  readonly admission: Pick<Admission, "observe" | "findRefusal">;
  readonly isInitialized: boolean;
  /** Whether requests of revision 2026-07-28 go to the server as they are. */
  readonly isServerSessionless: boolean;
  /** Raw JSON of the answer to `initialize`, once there is one. */
  readonly initializeResult: Buffer | undefined;
  /** @param caller Its sender; absent when it is the endpoint's own. */
  initialize(message: ClientMessage, reply: Reply, caller?: Caller): void;
  completeInitialization(message?: Buffer): void;
  /** Dispatches any message except `initialize`. @param reply For requests. */
  dispatch(session: Session, message: ClientMessage, reply: Reply | undefined): void;
  /** The reply gets a response in every case, unless the client cancels. */
  request(session: Session, message: ClientMessage, reply: Reply): void;
  /** Forwards a client's answer to a request of a server. */
  respond(session: Session, message: ClientMessage): void;
  /** Subscribes a session to resources with the endpoint's own requests. */
  subscribe(session: Session, uris: readonly string[]): void;
  /** Ends the requests and subscriptions of a session outside the store. */
  abandon(session: Session, reason: string): void;
}

/**
 * Relays of one process by the address of their endpoint, for its groups, which then need no connection to themselves. Only those
 * that ask nothing of a caller and write nothing down: all others are reached through their listener.
 */
export class OpenRelays {
  readonly #relays = new Map<string, Relay>();

  /** @param host As the endpoint listens on it. */
  add(host: string, port: number, relay: Relay): void {
    this.#relays.set(formatLocalAuthority(host, port), relay);
  }

  /** Another relay may have taken the address since: it stays. */
  delete(host: string, port: number, relay: Relay): void {
    const address = formatLocalAuthority(host, port);
    if (this.#relays.get(address) === relay) this.#relays.delete(address);
  }

  /** @param url Of an endpoint, as clients of this machine have it. */
  find({ hostname, port }: URL): Relay | undefined {
    return this.#relays.get(formatLocalAuthority(hostname, port));
  }
}
