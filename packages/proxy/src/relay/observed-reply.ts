/** Ends the observation of a call with its answer. */
import { type Observation, outcomeOf } from "../observe/observer.ts";
import type { Reply } from "../sessions/pending-requests.ts";

/** A reply that ends an observation with the call. */
export function observedReply(reply: Reply, observation: Observation): Reply {
  return {
    notify: (message) => reply.notify(message),
    respond: (message, status) => {
      observation.end({ outcome: outcomeOf(message), response: message });
      reply.respond(message, status);
    },
    cancel: () => {
      observation.end({ outcome: "failure", response: undefined });
      reply.cancel();
    },
    ...(reply.lack && { lack: (capability: string) => reply.lack?.(capability) }),
    ...(reply.fail && {
      fail: (message: string) => {
        observation.end({ outcome: "error", response: undefined });
        reply.fail?.(message);
      },
    }),
  };
}
