/**
 * The `initialize` messages that the endpoint writes itself. Where several callers share a server process, facts about the first client could show in the
 * server's answer to all later ones. So the message names the endpoint as its client and keeps only the capabilities
 * that servers decide by.
 */
import { BRAND } from "@toolhive/core/brand";
import { keepKnownCapabilities } from "../../messages/client-capabilities.ts";
import type { ClientMessage } from "../../messages/client-message.ts";
import { type Envelope, readEnvelope } from "../../messages/json-rpc.ts";
import { INITIALIZE } from "../../messages/methods.ts";
import { isSessionRevision, LATEST_SESSION_REVISION } from "../../messages/protocol-revisions.ts";

const OWN_CLIENT_INFO = { name: BRAND.command, version: "1" };

/** @returns The message without facts about the client. */
export function replaceClientFacts({ envelope, params }: ClientMessage): ClientMessage {
  const { protocolVersion: wanted, capabilities } = params;
  const protocolVersion = typeof wanted === "string" && isSessionRevision(wanted) ? wanted : LATEST_SESSION_REVISION;
  const own = {
    protocolVersion,
    capabilities: keepKnownCapabilities(capabilities),
    clientInfo: OWN_CLIENT_INFO,
  };
  const id = envelope.id === undefined ? "0" : envelope.text.toString("utf8", envelope.id.start, envelope.id.end);
  return { envelope: createInitialize(id, own), params: own };
}

/** The `initialize` with which the endpoint checks whether a new process answers, before any client connects. */
export function createTrialInitialize(): Envelope {
  return createInitialize("0", {
    protocolVersion: LATEST_SESSION_REVISION,
    capabilities: {},
    clientInfo: OWN_CLIENT_INFO,
  });
}

/** @param id Raw JSON. */
function createInitialize(id: string, params: Readonly<Record<string, unknown>>): Envelope {
  const text = `{"jsonrpc":"2.0","id":${id},"method":"${INITIALIZE}","params":${JSON.stringify(params)}}`;
  const envelope = readEnvelope(Buffer.from(text));
  if (envelope === undefined) throw new Error("a valid request lost its form");
  return envelope;
}
