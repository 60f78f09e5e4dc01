/** Initializes a server on behalf of the endpoint, for clients that never send `initialize`. */
import { ALL_CAPABILITIES } from "../messages/client-capabilities.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { readEnvelope } from "../messages/json-rpc.ts";
import { LATEST_SESSION_REVISION } from "../messages/protocol-revisions.ts";
import { createReply } from "../sessions/reply.ts";
import type { Relay } from "./relay.ts";

type ClientInfo = Readonly<Record<string, unknown>>;

/** @param clientInfo The client's own. @returns The error response when it failed. */
export function ensureInitialized(relay: Relay, clientInfo?: ClientInfo): Promise<Buffer | undefined> {
  if (relay.isInitialized) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const reply = createReply((response) => {
      const isDone = readEnvelope(response)?.result !== undefined || relay.isServerSessionless;
      if (isDone) relay.completeInitialization();
      resolve(isDone ? undefined : response);
    });
    relay.initialize(createInitialize(clientInfo ?? { name: "unknown", version: "0" }), reply);
  });
}

function createInitialize(clientInfo: ClientInfo): ClientMessage {
  const params = { protocolVersion: LATEST_SESSION_REVISION, capabilities: ALL_CAPABILITIES, clientInfo };
  const text = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }));
  const envelope = readEnvelope(text);
  if (envelope === undefined) throw new Error("not a message");
  return { envelope, params };
}
