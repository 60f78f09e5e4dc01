/**
 * The `initialize` of a server process that several callers share: facts about the first client could show in the
 * server's answer to all later ones. So the message names the endpoint as its client and keeps only the capabilities
 * that servers decide by.
 */
import { BRAND } from "@toolhive/core/brand";
import { type ClientMessage, isRecord } from "../messages/client-message.ts";
import { readEnvelope } from "../messages/json-rpc.ts";
import { INITIALIZE } from "../messages/methods.ts";
import { isSessionRevision, LATEST_SESSION_REVISION } from "../messages/protocol-revisions.ts";

type Flags = { readonly [name: string]: true | Flags };

/** Client capabilities of the revisions up to 2025-11-25. */
const FLAGS: Flags = {
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
};

/** @returns The message without facts about the client. */
export function replaceClientFacts({ envelope, params }: ClientMessage): ClientMessage {
  const { protocolVersion: wanted, capabilities } = params;
  const protocolVersion = typeof wanted === "string" && isSessionRevision(wanted) ? wanted : LATEST_SESSION_REVISION;
  const own = {
    protocolVersion,
    capabilities: isRecord(capabilities) ? keepFlags(FLAGS, capabilities) : {},
    clientInfo: { name: BRAND.command, version: "1" },
  };
  const id = envelope.id === undefined ? "0" : envelope.text.toString("utf8", envelope.id.start, envelope.id.end);
  const text = `{"jsonrpc":"2.0","id":${id},"method":"${INITIALIZE}","params":${JSON.stringify(own)}}`;
  const spoken = readEnvelope(Buffer.from(text));
  if (spoken === undefined) throw new Error("a valid request lost its form");
  return { envelope: spoken, params: own };
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
