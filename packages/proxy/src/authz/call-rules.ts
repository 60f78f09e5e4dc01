/** Rules about what callers may do: policies, and the choice of the tools that are offered at all. */
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { filterLists } from "./list-filter.ts";
import { readPolicyQueries } from "./policy-query.ts";

export interface CallRules {
  /** @returns Why the message is denied; `undefined` when it is permitted. */
  findRefusal(caller: Caller, message: ClientMessage): string | undefined;
  /** A server's response without the list entries that the caller may not use. */
  filter(caller: Caller, response: Buffer): Buffer;
}

/** Offers some of a server's tools; prompts and resources stay. Names are compared exactly. */
export class ToolChoice implements CallRules {
  readonly #tools: ReadonlySet<string>;

  constructor(tools: readonly string[]) {
    this.#tools = new Set(tools);
  }

  findRefusal(_caller: Caller, message: ClientMessage): string | undefined {
    if (message.envelope.method !== "tools/call") return undefined;
    const asked = readPolicyQueries(message);
    if (asked.kind === "free") return undefined;
    // The server might read another name than the one that is compared.
    if (asked.kind === "refuse") return asked.reason;
    const other = asked.queries.find(({ name }) => !this.#tools.has(name));
    return other && `Unauthorized: the tool "${other.name.slice(0, 200)}" is not offered here.`;
  }

  filter(_caller: Caller, response: Buffer): Buffer {
    return filterLists(response, (action, name) => action !== "call_tool" || this.#tools.has(name));
  }
}

/** A message passes when every rule permits it. @returns `undefined` for no rules. */
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
  };
}
