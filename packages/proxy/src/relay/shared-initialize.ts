/**
 * The `initialize` of a server process that several callers share: facts about the first client could show in the
 * server's answer to all later ones. So the message names the endpoint as its client and keeps only the capabilities
 * that servers decide by.
 */
import { BRAND } from "@toolhive/core/brand";
import { keepKnownCapabilities } from "../messages/client-capabilities.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { readEnvelope } from "../messages/json-rpc.ts";
import { INITIALIZE } from "../messages/methods.ts";
import { isSessionRevision, LATEST_SESSION_REVISION } from "../messages/protocol-revisions.ts";

/** @returns The message without facts about the client. */
export function replaceClientFacts({ envelope, params }: ClientMessage): ClientMessage {
  const { protocolVersion: wanted, capabilities } = params;
  const protocolVersion = typeof wanted === "string" && isSessionRevision(wanted) ? wanted : LATEST_SESSION_REVISION;
  const own = {
    protocolVersion,
    capabilities: keepKnownCapabilities(capabilities),
    clientInfo: { name: BRAND.command, version: "1" },
  };
  const id = envelope.id === undefined ? "0" : envelope.text.toString("utf8", envelope.id.start, envelope.id.end);
  const text = `{"jsonrpc":"2.0","id":${id},"method":"${INITIALIZE}","params":${JSON.stringify(own)}}`;
  const spoken = readEnvelope(Buffer.from(text));
  if (spoken === undefined) throw new Error("a valid request lost its form");
  return { envelope: spoken, params: own };
}
