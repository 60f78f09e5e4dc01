/**
 * Decides which messages of clients reach the server, by bounds, ids in use, policies and subscriptions that the server already
 * has. Answers those that may not, and reports all of them to observers. Authentication (access/) happens earlier, before a
 * message is read.
 */
import type { Logger } from "@toolhive/core";
import type { Refusal } from "../authz/call-rules.ts";
import type { LiveRules } from "../authz/live-rules.ts";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { copySpan, createErrorReply, createResultReply, RPC_ERRORS } from "../messages/json-rpc.ts";
import { SUBSCRIBE, UNSUBSCRIBE } from "../messages/methods.ts";
import { type Observation, type Observer, readOutcome } from "../observe/observer.ts";
import type { Limits } from "../options/limits.ts";
import { readRequestKey } from "../sessions/pending-requests.ts";
import { type Reply, withReply } from "../sessions/reply.ts";
import type { Session } from "../sessions/session.ts";
import type { Subscriptions } from "../sessions/subscriptions.ts";

export interface AdmissionOptions {
  readonly limits: Limits;
  readonly log: Logger;
  /** What binds callers. Default: nothing. */
  readonly rules: Pick<LiveRules, "findRefusal"> | undefined;
  /** Observes calls. Default: none. */
  readonly observer: Observer | undefined;
  readonly subscriptions: Pick<Subscriptions, "applyRequest">;
  /** Requests of all sessions that wait or are in flight. */
  readonly pendingCount: () => number;
}

export class Admission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** @returns Why a message does not pass; `undefined` when it does. */
  findRefusal(caller: Caller, message: ClientMessage): Refusal | undefined {
    return this.#options.rules?.findRefusal(caller, message);
  }

  /** Begins to observe a call that the endpoint itself answers. @returns `undefined` without an observer. */
  observe(caller: Caller, message: ClientMessage, client?: string | undefined): Observation | undefined {
    return this.#options.observer?.begin(caller, message, client);
  }

  /** @returns The reply to continue with; `undefined` when the client has its answer. */
  admitInitialize(message: ClientMessage, given: Reply, caller: Caller | undefined): Reply | undefined {
    const reply = caller === undefined ? given : this.#observeReply(caller, message, given);
    if (this.#isFull()) {
      refuse(message, reply, "Too many requests are open.");
      return undefined;
    }
    return reply;
  }

  /** @returns The reply to continue with; `undefined` when the client has its answer. */
  admitRequest(session: Session, message: ClientMessage, given: Reply): Reply | undefined {
    const reply = this.#observeReply(session.caller, message, given, session.client.name);
    const { envelope } = message;
    if (envelope.id === undefined) return undefined;
    const id = copySpan(envelope.text, envelope.id);
    if (session.requests.has(readRequestKey(id))) {
      reply.respond(createErrorReply(id, RPC_ERRORS.INVALID_REQUEST, "A request with this id is still in flight."));
      return undefined;
    }
    if (session.requests.size >= this.#options.limits.maxSessionRequests || this.#isFull()) {
      refuse(message, reply, "Too many requests are open.");
      return undefined;
    }
    const refusal = this.findRefusal(session.caller, message);
    if (refusal !== undefined) {
      reply.respond(createErrorReply(id, RPC_ERRORS.DENIED, refusal.reason), refusal.status);
      return undefined;
    }
    return this.#mustReachServer(session, message, reply) ? reply : undefined;
  }

  /** @returns Whether it may be forwarded; a notification is never answered. */
  admitNotification(session: Session, message: ClientMessage): boolean {
    const refusal = this.findRefusal(session.caller, message);
    const outcome = refusal === undefined ? "success" : "denied";
    this.observe(session.caller, message, session.client.name)?.end({ outcome, response: undefined });
    if (refusal === undefined) return true;
    this.#options.log.info({ method: message.envelope.method, refusal: refusal.reason }, "notification denied");
    return false;
  }

  /**
   * The server sees one subscription per resource, however many clients have it. @returns False when the client has its answer.
   */
  #mustReachServer(session: Session, message: ClientMessage, reply: Reply): boolean {
    const { envelope, params } = message;
    const { uri } = params;
    if (typeof uri !== "string" || (envelope.method !== SUBSCRIBE && envelope.method !== UNSUBSCRIBE)) return true;
    const verdict = this.#options.subscriptions.applyRequest(session, envelope.method, uri);
    if (verdict === "answer" && envelope.id !== undefined) {
      reply.respond(createResultReply(copySpan(envelope.text, envelope.id), "{}"));
    }
    if (verdict === "refuse") refuse(message, reply, "The session has too many subscriptions.");
    return verdict === "forward";
  }

  #isFull(): boolean {
    return this.#options.pendingCount() >= this.#options.limits.maxRequests;
  }

  #observeReply(caller: Caller, message: ClientMessage, reply: Reply, client?: string | undefined): Reply {
    const observation = this.observe(caller, message, client);
    return observation === undefined ? reply : observeReply(reply, observation);
  }
}

function refuse({ envelope }: ClientMessage, reply: Reply, reason: string): void {
  const id = envelope.id === undefined ? undefined : copySpan(envelope.text, envelope.id);
  reply.respond(createErrorReply(id, RPC_ERRORS.TOO_MANY, reason));
}

/** A reply that ends an observation with the call. */
function observeReply(reply: Reply, observation: Observation): Reply {
  return withReply(reply, {
    respond: (message, status) => {
      observation.end({ outcome: readOutcome(message), response: message });
      reply.respond(message, status);
    },
    cancel: () => {
      observation.end({ outcome: "failure", response: undefined });
      reply.cancel();
    },
    failUnanswered: (message) => {
      observation.end({ outcome: "error", response: undefined });
      reply.failUnanswered?.(message);
    },
  });
}
