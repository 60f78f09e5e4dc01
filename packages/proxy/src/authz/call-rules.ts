/** Rules about what callers may do: policies, and the choice of the tools that are offered at all. */
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";

export interface CallRules {
  /** @returns Why the message is denied; `undefined` when it is permitted. */
  findRefusal(caller: Caller, message: ClientMessage): string | undefined;
  /** A server's response without the list entries that the caller may not use. */
  filter(caller: Caller, response: Buffer): Buffer;
  /** A permitted message as the server knows it. Default: unchanged. */
  rewrite?(message: ClientMessage): ClientMessage;
}

/** Why a message does not pass. */
export interface Refusal {
  readonly reason: string;
  /**
   * Of the HTTP response that carries the error. 403 says that this caller may not. What nobody may call is an error of the call
   * like any other: clients take 403 for a failure of the connection, and do not show the reason to a model.
   */
  readonly status: 200 | 403;
}

/**
 * A message passes when every rule permits it. All rules use names as clients see them, so the rule that replaces names is first.
 *
 * @returns `undefined` for no rules.
 */
export function combineRules(rules: readonly CallRules[]): CallRules | undefined {
  if (rules.length < 2) return rules[0];
  return {
    findRefusal: (caller, message) => {
      for (const rule of rules) {
        const refusal = rule.findRefusal(caller, message);
        if (refusal !== undefined) return refusal;
      }
      return undefined;
    },
    filter: (caller, response) => rules.reduce((kept, rule) => rule.filter(caller, kept), response),
    rewrite: (message) => rules.reduce((kept, rule) => rule.rewrite?.(kept) ?? kept, message),
  };
}
