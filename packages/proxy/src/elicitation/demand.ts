/** What a client must have declared before a server may send it a request, as a path of names such as `elicitation.url`. */
import { isRecord } from "@toolhive/http/values";
import type { ClientFacts } from "../messages/initialize-message.ts";
import { type Envelope, readString } from "../messages/json-rpc.ts";
import { findMembers } from "../messages/json-scanner.ts";

const ELICITATION = "elicitation";
const URL_ELICITATION = `${ELICITATION}.url`;

/** @returns `undefined` for a request that needs no capability. */
export function findCapability(envelope: Pick<Envelope, "method" | "text" | "params">): string | undefined {
  if (isUrlElicitation(envelope)) return URL_ELICITATION;
  return ["sampling", ELICITATION, "roots", "tasks"].find((name) => envelope.method.startsWith(`${name}/`));
}

/** Whether a server asks that a person opens an address (2025-11-25). */
export function isUrlElicitation({ method, text, params }: Pick<Envelope, "method" | "text" | "params">): boolean {
  if (method !== "elicitation/create" || params === undefined) return false;
  return readString(text, findMembers(text, params.start, ["mode"])?.spans[0]) === "url";
}

/** A client that declares `elicitation` without a mode has forms: before 2025-11-25 there was nothing else. */
export function declares({ capabilities, details }: ClientFacts, capability: string | undefined): boolean {
  if (capability === undefined) return true;
  const modes = isRecord(details?.[ELICITATION]) ? details[ELICITATION] : {};
  if (capability === URL_ELICITATION) return modes.url !== undefined;
  const hasOtherMode = capability === ELICITATION && modes.url !== undefined && modes.form === undefined;
  return capabilities.has(capability) && !hasOtherMode;
}

/** @returns What a client would declare. */
export function toCapabilities(capability: string): Record<string, unknown> {
  return capability.split(".").reduceRight<Record<string, unknown>>((inner, name) => ({ [name]: inner }), {});
}

/** @returns The name without what is within it. */
export function readCapabilityName(capability: string): string {
  return capability.split(".")[0] ?? capability;
}
