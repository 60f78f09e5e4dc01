/**
 * Chooses the client that a request of the server goes to. Stdio does not say for which client a server asks, so the rule is:
 * 1. While sessions have requests in flight, only one of those receives it: the one that sent last among those that declared the
 *    capability. The request travels on that request's stream.
 * 2. Otherwise the session that was active last among those with the capability, first those that listen right now.
 * 3. No session remains: the server gets an error at once.
 *
 * Once the process has worked for more than one caller, a request must not reach the wrong one. MCP ties sampling and elicitation
 * to the request that they are asked for, so these pass while all work of the server belongs to one caller. Everything else, and
 * everything at other times, could concern any caller: the server gets an error.
 */
import { readCapabilityName } from "../elicitation/demand.ts";
import { hasCapability } from "../sessions/server-requests.ts";
import type { Session } from "../sessions/session.ts";
import type { ServerUsers } from "./server-users.ts";

export interface ClientChoiceOptions {
  readonly now: () => number;
  readonly sessions: Iterable<Session>;
  /** Sessions with requests in flight, the one that sent last at the end. */
  readonly busySessions: ReadonlySet<Session>;
  readonly users: ServerUsers;
}

/** Requests that a server sends only while it works on a request of a client. */
const TIED_CAPABILITIES = new Set(["sampling", "elicitation"]);

export class ClientChoice {
  readonly #options: ClientChoiceOptions;

  constructor(options: ClientChoiceOptions) {
    this.#options = options;
  }

  choose(capability: string | undefined): Session | undefined {
    const { busySessions, sessions, users } = this.#options;
    const isAble = (session: Session): boolean => hasCapability(session, capability);
    if (users.isShared)
      return this.#isAboutOneCaller(capability) ? [...busySessions].reverse().find(isAble) : undefined;
    const isPossible = (session: Session): boolean => isAble(session) && users.isSole(session.caller.id);
    if (busySessions.size > 0) return [...busySessions].reverse().find(isPossible);
    const able = [...sessions].filter(isPossible);
    const listening = able.filter(({ standalone }) => standalone.isAttached);
    const candidates = listening.length > 0 ? listening : able;
    return candidates.reduce<Session | undefined>(
      (best, session) => (best === undefined || session.lastUsedAt >= best.lastUsedAt ? session : best),
      undefined,
    );
  }

  /** When only one session is eligible, its call fails with the missing capability. */
  failMissingCapability(capability: string): void {
    const { busySessions, users } = this.#options;
    const [only] = busySessions;
    if (users.isShared && !this.#isAboutOneCaller(capability)) return;
    if (only === undefined || busySessions.size > 1 || only.requests.size > 1) return;
    for (const { reply } of only.requests.values()) reply.failMissingCapability?.(capability);
  }

  /** Whether a request can only come from work for the one caller that has requests in flight. */
  #isAboutOneCaller(capability: string | undefined): boolean {
    const { busySessions, users, now } = this.#options;
    if (capability === undefined || !TIED_CAPABILITIES.has(readCapabilityName(capability))) return false;
    let only: string | undefined;
    for (const { caller } of busySessions) {
      if (only !== undefined && only !== caller.id) return false;
      only = caller.id;
    }
    return only !== undefined && !users.isAtWorkForOthers(only, now());
  }
}
