/** Ends the observation of a call with its answer. */
import { type Observation, readOutcome } from "../observe/observer.ts";
import { type Reply, withReply } from "../sessions/reply.ts";

/** A reply that ends an observation with the call. */
export function observeReply(reply: Reply, observation: Observation): Reply {
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
