/**
 * One session at a server that accepts no second one: the group reads lists in it, and clients send their requests in it. Ids of
 * requests differ throughout the group, so each message on the way of a request belongs to who sent that request.
 */
import { readAnswerId, readEnvelope } from "../../messages/json-rpc.ts";
import { LIST_CHANGED } from "../../messages/methods.ts";
import type { RequestFailure, Upstream, UpstreamHandler } from "./upstream.ts";

/** Each user knows the tokens of its own requests, and what it has subscribed to. */
const OF_ALL = /^notifications\/(?:progress|resources\/updated)$/;

export class SharedSession implements UpstreamHandler {
  /** Present once the server has accepted the session. */
  upstream: Upstream | undefined;
  readonly #owner: UpstreamHandler;
  readonly #users = new Set<UpstreamHandler>();
  /** Who waits for the answer to a request, by its id. */
  readonly #waiting = new Map<number, UpstreamHandler>();

  /** @param owner Gets what is of no user, and answers what the server asks. */
  constructor(owner: UpstreamHandler) {
    this.#owner = owner;
  }

  /** @returns `undefined` when there is no session. */
  join(user: UpstreamHandler): Upstream | undefined {
    const { upstream } = this;
    if (upstream === undefined) return undefined;
    this.#users.add(user);
    return {
      result: upstream.result,
      isAttributed: upstream.isAttributed,
      send: (message, id, logLevel) => {
        if (id !== undefined) this.#waiting.set(id, user);
        upstream.send(message, id, logLevel);
      },
      forget: (id) => {
        this.#waiting.delete(id);
        upstream.forget(id);
      },
      touch: () => upstream.touch(),
      close: () => this.#leave(user, upstream),
    };
  }

  onMessage(text: Buffer, via: number | undefined): void {
    const envelope = readEnvelope(text);
    const id = via ?? (envelope?.kind === "response" ? readAnswerId(text, envelope.id) : undefined);
    const user = id === undefined ? undefined : this.#waiting.get(id);
    if (user !== undefined && envelope?.kind !== "request") {
      user.onMessage(text, via);
      if (id !== undefined && !user.isAwaited(id)) this.#waiting.delete(id);
      return;
    }
    // The session declared no capabilities, so a request of the server can only be a ping.
    this.#owner.onMessage(text, via);
    if (envelope?.kind !== "notification" || LIST_CHANGED.test(envelope.method)) return;
    // Whom another notification concerns, a log message for example, is known while there is one user only.
    if (this.#users.size > 1 && !OF_ALL.test(envelope.method)) return;
    for (const each of this.#users) each.onMessage(text, undefined);
  }

  isAwaited(id: number): boolean {
    return (this.#waiting.get(id) ?? this.#owner).isAwaited(id);
  }

  onFailed(id: number, failure: RequestFailure): void {
    const user = this.#waiting.get(id) ?? this.#owner;
    this.#waiting.delete(id);
    user.onFailed(id, failure);
  }

  onEnd(reason: string): void {
    this.upstream = undefined;
    this.#waiting.clear();
    this.#owner.onEnd(reason);
    for (const user of this.#users) user.onEnd(reason);
    this.#users.clear();
  }

  #leave(user: UpstreamHandler, upstream: Upstream): void {
    this.#users.delete(user);
    for (const [id, each] of this.#waiting) {
      if (each !== user) continue;
      this.#waiting.delete(id);
      upstream.forget(id);
    }
  }
}
