/**
 * A relay whose clients find tools instead of listing them, while finding is on. It precedes another relay, and asks that one
 * for lists in the client's own session.
 */
import type { BodyBudget } from "../http/body-budget.ts";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { addResultMembers } from "../messages/modern/adapt-messages.ts";
import type { Relay } from "../relay/relay.ts";
import { type Reply, withReply } from "../sessions/reply.ts";
import type { Session } from "../sessions/session.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import { type FindCall, readFindCall, showTwoTools } from "./find-calls.ts";
import { ToolFinder, type ToolFinderOptions } from "./tool-finder.ts";

export interface FindingRelayOptions extends Pick<ToolFinderOptions, "findServer"> {
  readonly relay: Relay;
  /** Whether clients find tools now. */
  readonly isFinding: () => boolean;
}

export class FindingRelay implements Relay {
  readonly #relay: Relay;
  readonly #isFinding: () => boolean;
  readonly #finder: ToolFinder;

  constructor({ relay, isFinding, findServer }: FindingRelayOptions) {
    this.#relay = relay;
    this.#isFinding = isFinding;
    this.#finder = new ToolFinder({ admission: relay.admission, findServer });
  }

  get sessions(): SessionStore {
    return this.#relay.sessions;
  }

  get bodyBudget(): BodyBudget {
    return this.#relay.bodyBudget;
  }

  get admission(): Relay["admission"] {
    return this.#relay.admission;
  }

  get isInitialized(): boolean {
    return this.#relay.isInitialized;
  }

  get isServerSessionless(): boolean {
    return this.#relay.isServerSessionless;
  }

  get initializeResult(): Buffer | undefined {
    return this.#relay.initializeResult;
  }

  initialize(message: ClientMessage, reply: Reply, caller?: Caller): void {
    this.#relay.initialize(message, reply, caller);
  }

  completeInitialization(message?: Buffer): void {
    this.#relay.completeInitialization(message);
  }

  dispatch(session: Session, message: ClientMessage, reply: Reply | undefined): void {
    if (message.envelope.kind === "request" && reply !== undefined) this.request(session, message, reply);
    else this.#relay.dispatch(session, message, reply);
  }

  request(session: Session, message: ClientMessage, reply: Reply): void {
    const call: FindCall = this.#isFinding() ? readFindCall(message) : { kind: "other", message };
    if (call.kind === "list") {
      const respond: Reply["respond"] = (answer, status) => reply.respond(showTwoTools(answer), status);
      this.#relay.request(session, message, withReply(reply, { respond }));
    } else if (this.#finder.isForServer(session.caller, call)) this.#relay.request(session, call.message, reply);
    else void this.#answer(session, call, reply);
  }

  respond(session: Session, message: ClientMessage): void {
    this.#relay.respond(session, message);
  }

  subscribe(session: Session, uris: readonly string[]): void {
    this.#relay.subscribe(session, uris);
  }

  abandon(session: Session, reason: string): void {
    this.#relay.abandon(session, reason);
  }

  async #answer(session: Session, call: FindCall, reply: Reply): Promise<void> {
    session.touch();
    const isAnswered = await this.#finder.answer(call, {
      caller: session.caller,
      askPage: (list) => this.#askPage(session, list, reply),
      respond: (answer) => reply.respond(this.#complete(answer)),
    });
    if (!isAnswered) this.#relay.request(session, call.message, reply);
  }

  /** Answers of a server of the newest revision are not adapted, so our own answers need that revision's members. */
  #complete(answer: Buffer): Buffer {
    return this.#relay.isServerSessionless ? addResultMembers(answer, "tools/call", undefined) : answer;
  }

  /** The request has the id of the client's, which can so cancel it. */
  #askPage(session: Session, list: ClientMessage, reply: Reply): Promise<Buffer | undefined> {
    return new Promise((resolve) => {
      const calls: Partial<Reply> = {
        respond: (answer) => resolve(answer),
        cancel: () => {
          reply.cancel();
          resolve(undefined);
        },
        failMissingCapability: (capability) => {
          reply.failMissingCapability?.(capability);
          resolve(undefined);
        },
        failUnanswered: (reason) => {
          reply.failUnanswered?.(reason);
          resolve(undefined);
        },
      };
      this.#relay.request(session, list, withReply(reply, calls));
    });
  }
}
