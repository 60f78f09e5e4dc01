/** Capabilities that clients declare, reduced to what servers decide by: other members of a client are ignored. */
import { isRecord } from "@toolhive/http/values";

type Flags = { readonly [name: string]: true | Flags };

/** Client capabilities of the revisions up to 2025-11-25. */
const FLAGS: Flags = {
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
};

/** Where each request declares those of its own client, and the endpoint checks them when a server asks something. */
export const ALL_CAPABILITIES = { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } };

/** Capabilities of a client as servers decide by them, without anything else that it may have put there. */
export function keepKnownCapabilities(capabilities: unknown): Record<string, unknown> {
  return isRecord(capabilities) ? keepFlags(FLAGS, capabilities) : {};
}

function keepFlags(known: Flags, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(known)) {
    const value = given[name];
    if (inner === true) {
      if (value === true) kept[name] = true;
    } else if (isRecord(value)) kept[name] = keepFlags(inner, value);
  }
  return kept;
}
