/** Authentication and authorization of an endpoint, as the listener and the transports use them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { McpEndpoint } from "@toolhive/core";
import type { CallRules } from "../authz/call-rules.ts";
import type { Caller } from "../messages/caller.ts";
import type { Observer } from "../observe/observer.ts";
import type { RecentCalls } from "../observe/recent-calls.ts";

export interface Access {
  /** The policies that bind callers; `undefined` without any. */
  readonly rules: CallRules | undefined;
  /** What the policies say; `undefined` without policies. */
  readonly judge: McpEndpoint["judge"];
  /** Observes calls; `undefined` without an observer. */
  readonly observer: Observer | undefined;
  /** `undefined` where messages pass unread. */
  readonly recentCalls: RecentCalls | undefined;
  /** Whether callers present a token, which is valid for this endpoint only. */
  readonly needsToken: boolean;
  /** Whether callers are distinguished or bound by policies, so that every path must be checked. */
  readonly isRestricted: boolean;
  /**
   * @returns Who sent the request; `undefined` when the request is answered already.
   * @throws {HttpRefusal} 401, 503.
   */
  admit(request: IncomingMessage, response: ServerResponse, path: string): Promise<Caller | undefined>;
}
