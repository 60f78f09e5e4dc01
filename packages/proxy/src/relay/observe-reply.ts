/** Ends the observation of a call with its answer. */
import { type Observation, readOutcome } from "../observe/observer.ts";
import type { Reply } from "../sessions/pending-requests.ts";

/** A reply that ends an observation with the call. */
export function observeReply(reply: Reply, observation: Observation): Reply {
  return {
    notify: (message) => reply.notify(message),
    respond: (message, status) => {
      observation.end({ outcome: readOutcome(message), response: message });
      reply.respond(message, status);
    },
    cancel: () => {
      observation.end({ outcome: "failure", response: undefined });
      reply.cancel();
    },
    ...(reply.failMissingCapability && {
      failMissingCapability: (capability: string) => reply.failMissingCapability?.(capability),
    }),
    ...(reply.failUnanswered && {
      failUnanswered: (message: string) => {
        observation.end({ outcome: "error", response: undefined });
        reply.failUnanswered?.(message);
      },
    }),
  };
}
