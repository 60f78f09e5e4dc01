/** What the listener asks before it hands a request on: who sent it, and what callers of this endpoint may do. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Policy } from "../authz/policy.ts";
import type { Caller } from "../messages/caller.ts";
import type { Observer } from "../observe/observer.ts";

export interface Access {
  /** What callers may do; `undefined` when everything. */
  readonly policy: Policy | undefined;
  /** Hears of calls; `undefined` when nobody does. */
  readonly observer: Observer | undefined;
  /** Whether callers have a token, which is for this endpoint only. */
  readonly needsToken: boolean;
  /** Whether callers are told apart or bound by policies, so that there must be no way round. */
  readonly isRestricted: boolean;
  /**
   * @returns Who sent the request; `undefined` when it is answered already.
   * @throws {HttpRefusal} 401, 503.
   */
  admit(request: IncomingMessage, response: ServerResponse, path: string): Promise<Caller | undefined>;
}
