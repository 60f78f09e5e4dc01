/** Where the answer to one request goes, and replies that are made of another one. */
export interface Reply {
  /**
   * Sends a message that belongs to the request, before its response. @returns False when the reply cannot carry it.
   */
  notify(message: Buffer): boolean;
  /** Sends the response; the last call. @param status Of an HTTP response that carries nothing else. Default 200. */
  respond(message: Buffer, status?: number): void;
  /** The client cancelled: no response follows; the last call. */
  cancel(): void;
  /** The server sent a request that needs a capability which the client lacks, as `findCapability` names it. */
  readonly failMissingCapability?: ((capability: string) => void) | undefined;
  /** Replaces `respond` when the server did not answer; default: `respond` with a JSON-RPC error. */
  readonly failUnanswered?: ((message: string) => void) | undefined;
}

/** A reply of the endpoint's own, which takes only the response. @param respond Default: ignores it. */
export function createReply(respond: Reply["respond"] = () => undefined): Reply {
  return { notify: () => false, respond, cancel: () => undefined };
}

/** A reply with other calls in the place of some of its own. An optional call that the reply lacks is not added. */
export function withReply(reply: Reply, calls: Partial<Reply>): Reply {
  return {
    notify: (message) => reply.notify(message),
    respond: (message, status) => reply.respond(message, status),
    cancel: () => reply.cancel(),
    ...calls,
    failMissingCapability:
      reply.failMissingCapability &&
      (calls.failMissingCapability ?? ((capability) => reply.failMissingCapability?.(capability))),
    failUnanswered: reply.failUnanswered && (calls.failUnanswered ?? ((message) => reply.failUnanswered?.(message))),
  };
}
