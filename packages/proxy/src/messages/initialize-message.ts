/** Reads `initialize` and its answer. */

import { isRecord } from "@toolhive/http/values";
import { keepKnownCapabilities } from "./client-capabilities.ts";
import type { ClientMessage } from "./client-message.ts";
import { readEnvelope, readString } from "./json-rpc.ts";
import { findMembers } from "./json-scanner.ts";
import { INITIALIZE } from "./methods.ts";
import { LATEST_SESSION_REVISION } from "./protocol-revisions.ts";

/** Characters of a client's name; it is kept with the session. */
const MAX_NAME_LENGTH = 200;

/** Revision and capabilities that a client declared in `initialize`. */
export interface ClientFacts {
  readonly revision: string;
  /** What it calls itself; absent where it does not say. */
  readonly name?: string | undefined;
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
  const name = readClientName(params.clientInfo);
  return {
    ...(name !== undefined && { name }),
    revision: typeof protocolVersion === "string" ? protocolVersion : LATEST_SESSION_REVISION,
    capabilities: new Set(isRecord(capabilities) ? Object.keys(capabilities) : []),
    details: keepKnownCapabilities(capabilities),
  };
}

/** @returns What a client calls itself in its `clientInfo`. */
export function readClientName(info: unknown): string | undefined {
  return isRecord(info) && typeof info.name === "string" && info.name !== ""
    ? info.name.slice(0, MAX_NAME_LENGTH)
    : undefined;
}

/** The revision in the answer to `initialize`; `undefined` when the answer is an error. */
export function readAgreedRevision(response: Buffer): string | undefined {
  const result = readEnvelope(response)?.result;
  return result === undefined
    ? undefined
    : readString(response, findMembers(response, result.start, ["protocolVersion"])?.spans[0]);
}
