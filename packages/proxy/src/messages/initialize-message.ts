/** Reads `initialize` and its answer. */

import { isRecord } from "@toolhive/http/values";
import { keepKnownCapabilities } from "./client-capabilities.ts";
import type { ClientMessage } from "./client-message.ts";
import { readEnvelope, readString } from "./json-rpc.ts";
import { findMembers } from "./json-scanner.ts";
import { INITIALIZE } from "./methods.ts";
import { LATEST_SESSION_REVISION } from "./protocol-revisions.ts";

/** Revision and capabilities that a client declared in `initialize`. */
export interface ClientFacts {
  readonly revision: string;
  /** Names of the capabilities it declared: `sampling`, `elicitation`, `roots`, … */
  readonly capabilities: ReadonlySet<string>;
  /** The known ones with their details. Absent where only names are known. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** Of the log messages that it wants of its one request. Absent where it has a session, in which it may set a level at any time. */
  readonly logLevel?: string | undefined;
}

export function isInitialize({ envelope }: ClientMessage): boolean {
  return envelope.kind === "request" && envelope.method === INITIALIZE;
}

export function readClientFacts({ params }: ClientMessage): ClientFacts {
  const { protocolVersion, capabilities } = params;
  return {
    revision: typeof protocolVersion === "string" ? protocolVersion : LATEST_SESSION_REVISION,
    capabilities: new Set(isRecord(capabilities) ? Object.keys(capabilities) : []),
    details: keepKnownCapabilities(capabilities),
  };
}

/** The revision in the answer to `initialize`; `undefined` when the answer is an error. */
export function readAgreedRevision(response: Buffer): string | undefined {
  const result = readEnvelope(response)?.result;
  return result === undefined
    ? undefined
    : readString(response, findMembers(response, result.start, ["protocolVersion"])?.spans[0]);
}
