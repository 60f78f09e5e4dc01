/**
 * Requests of a group's servers to clients: the client is the one in whose session the server asks, and the answer goes back there
 * and nowhere else.
 */
import type { GroupLimits } from "../options/group-limits.ts";
import { hasCapability, ServerRequests } from "../sessions/server-requests.ts";
import type { Link } from "./links.ts";

export interface GroupServerRequestsOptions {
  readonly limits: GroupLimits;
  readonly now: () => number;
}

export function createServerRequests({ limits, now }: GroupServerRequestsOptions): ServerRequests<Link> {
  return new ServerRequests<Link>({
    ...{ limits, now, replacesTokens: true },
    choose: (capability, link, via) => {
      const session = via?.session ?? link.session;
      return session?.isClosed === false && hasCapability(session, capability) ? session : undefined;
    },
    failMissingCapability: (capability, via) => via?.reply.failMissingCapability?.(capability),
    onSent: ({ via, deadlineAt }) => {
      // A person may be thinking, and the call waits for that.
      if (via) via.deadlineAt = Math.max(via.deadlineAt, deadlineAt + limits.callMs);
    },
    onAnswered: ({ via }) => {
      if (via) via.deadlineAt = now() + limits.callMs;
    },
  });
}
