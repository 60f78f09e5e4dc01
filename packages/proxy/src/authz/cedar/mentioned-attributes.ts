/**
 * Finds the attributes that policies can read. A caller may send a million arguments; Cedar gets only those whose
 * names some policy has, because it needs microseconds for each.
 */
import type { PolicyToJsonAnswer } from "@cedar-policy/cedar-wasm/nodejs";
import { isRecord } from "@toolhive/http/values";

export interface MentionedAttributes {
  /** Whether the decision may depend on an attribute of this name. */
  has(name: string): boolean;
}

const ALL: MentionedAttributes = { has: () => true };

/** @param policies In Cedar's JSON form, where the name of an attribute is always a text. */
export function findMentionedAttributes(policies: readonly PolicyToJsonAnswer[]): MentionedAttributes {
  const search = new Search();
  for (const policy of policies) {
    if (policy.type === "failure") return ALL;
    search.expression(policy.json.conditions);
  }
  return search.usesWholeContext ? ALL : search.names;
}

class Search {
  readonly names = new Set<string>();
  /** Whether a policy uses the context as a value, for example compares it with another record. */
  usesWholeContext = false;

  expression(node: unknown): void {
    if (Array.isArray(node)) for (const part of node) this.expression(part);
    if (!isRecord(node)) return;
    for (const [operator, operand] of Object.entries(node)) this.#operation(operator, operand);
  }

  #operation(operator: string, operand: unknown): void {
    if (operator === "Var") this.usesWholeContext ||= operand === "context";
    else if (operator === "Value") return;
    // Its members have names that the policy's author chose; they are no operators.
    else if (operator === "Record" && isRecord(operand)) this.expression(Object.values(operand));
    else if ((operator === "." || operator === "has") && isRecord(operand)) this.#access(operand);
    else this.expression(operand);
  }

  #access({ left, attr }: Readonly<Record<string, unknown>>): void {
    for (const name of [attr].flat()) {
      if (typeof name === "string") this.names.add(name);
      else this.usesWholeContext = true;
    }
    if (!isRecord(left) || left.Var !== "context") this.expression(left);
  }
}
