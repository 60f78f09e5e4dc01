/**
 * A relay whose clients find tools instead of listing them, while that is wanted. It precedes another relay, and asks that one
 * for lists in the client's own session: so whatever hides a tool from a client also keeps it from being found.
 */
import type { BodyBudget } from "../http/body-budget.ts";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { copySpan } from "../messages/json-rpc.ts";
import { addResultMembers } from "../messages/modern/adapt-messages.ts";
import { observeReply } from "../relay/observe-reply.ts";
import type { Relay } from "../relay/relay.ts";
import type { Reply } from "../sessions/pending-requests.ts";
import type { Session } from "../sessions/session.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import {
  createFailedReply,
  createFoundReply,
  createListRequest,
  createUnlistedReply,
  describeUnknown,
  type FindCall,
  NEAR_NAMES,
  readFindCall,
  showTwoTools,
} from "./find-calls.ts";
import { type SearchedTools, ToolFinder } from "./tool-finder.ts";

export interface FindingRelayOptions {
  readonly relay: Relay;
  /** Whether clients find tools now. */
  readonly isFinding: () => boolean;
  /** The server that has a tool, where there are several. */
  readonly findServer?: ((name: string) => string | undefined) | undefined;
}

export class FindingRelay implements Relay {
  readonly #relay: Relay;
  readonly #isFinding: () => boolean;
  readonly #finder: ToolFinder;

  constructor({ relay, isFinding, findServer }: FindingRelayOptions) {
    this.#relay = relay;
    this.#isFinding = isFinding;
    this.#finder = new ToolFinder(findServer);
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
    const asked: FindCall = this.#isFinding() ? readFindCall(message) : { kind: "other" };
    switch (asked.kind) {
      case "other":
        this.#relay.request(session, message, reply);
        return;
      case "list":
        this.#relay.request(session, message, changeAnswer(reply, showTwoTools));
        return;
      case "refuse":
        this.#answerFailed(session, message, reply, asked.reason);
        return;
      case "find":
        void this.#find(session, message, reply, asked);
        return;
      case "call":
        if (this.#finder.hasSeen(session.caller.id, asked.name)) this.#relay.request(session, asked.message, reply);
        else void this.#callUnseen(session, asked, reply);
    }
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

  async #find(
    session: Session,
    message: ClientMessage,
    given: Reply,
    { query, limit }: { readonly query: string; readonly limit: number },
  ): Promise<void> {
    const reply = this.#observe(session, message, given);
    const searched = await this.#read(session, message, reply);
    if (searched === undefined) return;
    const found = searched.index.search(query, limit);
    reply.respond(this.#complete(createFoundReply(copyId(message), { found, hasUnread: searched.hasUnread })));
  }

  /** A name that a caller's last list did not have is looked up in the present one. */
  async #callUnseen(
    session: Session,
    { name, message }: { readonly name: string; readonly message: ClientMessage },
    reply: Reply,
  ): Promise<void> {
    const searched = await this.#read(session, message, reply);
    if (searched === undefined) return;
    // Where not all is searched, its server knows.
    if (searched.index.has(name) || searched.hasUnread) {
      this.#relay.request(session, message, reply);
      return;
    }
    const isDenied = this.#relay.admission.findRefusal(session.caller, message) !== undefined;
    const near = searched.index.listNearNames(name, NEAR_NAMES);
    const answer = this.#complete(createFailedReply(copyId(message), describeUnknown(name, near)));
    const outcome = isDenied ? "denied" : "error";
    this.#relay.admission.observe(session.caller, message)?.end({ outcome, response: answer });
    reply.respond(answer);
  }

  #answerFailed(session: Session, message: ClientMessage, given: Reply, reason: string): void {
    session.touch();
    const answer = this.#complete(createFailedReply(copyId(message), reason));
    this.#observe(session, message, given).respond(answer);
  }

  /** Answers of a server of the newest revision are not adapted, so our own answers need that revision's members. */
  #complete(answer: Buffer): Buffer {
    return this.#relay.isServerSessionless ? addResultMembers(answer, "tools/call", undefined) : answer;
  }

  #observe(session: Session, message: ClientMessage, reply: Reply): Reply {
    const observation = this.#relay.admission.observe(session.caller, message);
    return observation === undefined ? reply : observeReply(reply, observation);
  }

  /** @returns `undefined` when the client has an answer, or waits for none any more. */
  async #read(session: Session, message: ClientMessage, reply: Reply): Promise<SearchedTools | undefined> {
    const read = await this.#finder.read(
      session.caller.id,
      async (cursor) => await this.#askPage(session, message, reply, cursor),
    );
    if (!("answer" in read)) return read;
    if (read.answer.length > 0) reply.respond(createUnlistedReply(copyId(message), read.answer));
    return undefined;
  }

  /** The request has the id of the client's, which can so cancel it. */
  #askPage(session: Session, message: ClientMessage, reply: Reply, cursor: string | undefined): Promise<Buffer> {
    return new Promise((resolve) => {
      const settled = Buffer.alloc(0);
      this.#relay.request(session, createListRequest(message, cursor), {
        notify: (text) => reply.notify(text),
        respond: (answer) => resolve(answer),
        cancel: () => {
          reply.cancel();
          resolve(settled);
        },
        ...(reply.failMissingCapability && {
          failMissingCapability: (capability: string) => {
            reply.failMissingCapability?.(capability);
            resolve(settled);
          },
        }),
        ...(reply.failUnanswered && {
          failUnanswered: (reason: string) => {
            reply.failUnanswered?.(reason);
            resolve(settled);
          },
        }),
      });
    });
  }
}

function copyId({ envelope }: ClientMessage): Buffer {
  return envelope.id === undefined ? Buffer.from("null") : copySpan(envelope.text, envelope.id);
}

function changeAnswer(reply: Reply, change: (answer: Buffer) => Buffer): Reply {
  return {
    notify: (message) => reply.notify(message),
    respond: (answer, status) => reply.respond(change(answer), status),
    cancel: () => reply.cancel(),
    ...(reply.failMissingCapability && {
      failMissingCapability: (capability: string) => reply.failMissingCapability?.(capability),
    }),
    ...(reply.failUnanswered && { failUnanswered: (reason: string) => reply.failUnanswered?.(reason) }),
  };
}
