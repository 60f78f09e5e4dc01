/** What callers may do with one workload: decides their messages and filters the lists in the answers. */
import type { AuthzConfig, Logger, PolicyQuestion, PolicyVerdict } from "@toolhive/core";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import type { CallRules } from "./call-rules.ts";
import { Cedar } from "./cedar/cedar.ts";
import { filterLists } from "./list-filter.ts";
import { readPolicyQueries } from "./policy-query.ts";

export class Policy implements CallRules {
  readonly #cedar: Cedar;

  private constructor(cedar: Cedar) {
    this.#cedar = cedar;
  }

  /** @throws {ThvError} `INVALID_ARGUMENT` with every problem. */
  static open(config: AuthzConfig, log: Logger): Policy {
    return new Policy(Cedar.open(config, log));
  }

  /** @returns Why the message is denied; `undefined` when it is permitted. */
  findRefusal(caller: Caller, message: ClientMessage): string | undefined {
    const asked = readPolicyQueries(message);
    if (asked.kind === "free") return undefined;
    if (asked.kind === "refuse") return asked.reason;
    const denied = asked.queries.find((query) => !this.#cedar.isAllowed(caller, query));
    return denied && `Unauthorized: ${denied.action} "${denied.name.slice(0, 200)}" is not permitted.`;
  }

  /** Judges a call without making it. */
  judge({ claims, action, name, args }: PolicyQuestion): PolicyVerdict {
    return this.#cedar.decide({ id: "", claims }, { action, name, args });
  }

  /** A server's response without the list entries that the caller may not use. */
  filter(caller: Caller, response: Buffer): Buffer {
    return filterLists(response, (action, name) => this.#cedar.isAllowed(caller, { action, name, args: {} }));
  }
}
