/**
 * The HTTP with SSE transport of revision 2024-11-05: one stream per client at `/sse`, messages posted to `/messages`.
 * Texts and statuses follow the reference implementation (section 6.3); routing is per session.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { deriveOrigin } from "../access/protected-resource.ts";
import { HttpRefusal, receiveBody, sendText } from "../http/http-exchange.ts";
import type { Caller } from "../messages/caller.ts";
import { type ClientMessage, readClientBody } from "../messages/client-message.ts";
import type { ClientFacts } from "../messages/initialize-message.ts";
import { isInitialize, readAgreedRevision, readClientFacts } from "../messages/initialize-message.ts";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import { hasBatches } from "../messages/protocol-revisions.ts";
import type { Limits } from "../options/limits.ts";
import type { Relay } from "../relay/relay.ts";
import { type Reply, withReply } from "../sessions/reply.ts";
import type { Session } from "../sessions/session.ts";

/** Until the client has sent `initialize`. */
const UNKNOWN_CLIENT: ClientFacts = { revision: "2024-11-05", capabilities: new Set() };

export interface SseTransportOptions {
  readonly relay: Relay;
  readonly limits: Limits;
}

export class SseTransport {
  readonly #options: SseTransportOptions;

  constructor(options: SseTransportOptions) {
    this.#options = options;
  }

  /** `GET /sse`: opens a session that lasts as long as the connection. @throws {HttpRefusal} */
  open(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    if (request.method !== "GET") {
      sendText(response, 405, "Method not allowed", { allow: "GET" });
      return;
    }
    const { relay, limits } = this.#options;
    const session =
      relay.sessions.attached.size < limits.maxStreams
        ? relay.sessions.create({ client: UNKNOWN_CLIENT, transport: "sse", caller })
        : undefined;
    if (session === undefined) {
      throw new HttpRefusal(503, RPC_ERRORS.TOO_MANY, "Too many sessions are in use.", {
        headers: { "retry-after": "5" },
      });
    }
    const address = `${deriveOrigin(request)}/messages?session_id=${session.id}`;
    session.standalone.attach(response, { opening: `event: endpoint\ndata: ${address}\n\n` });
  }

  /** `POST /messages?session_id=…`: accepts a message; its answer arrives on the stream. */
  async post(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void> {
    if (request.method !== "POST") {
      sendText(response, 405, "Method not allowed", { allow: "POST" });
      return;
    }
    const id = new URL(request.url ?? "/", "http://localhost").searchParams.get("session_id");
    if (id === null || id === "") {
      sendText(response, 400, "session_id is required");
      return;
    }
    const session = this.#options.relay.sessions.claim(id, caller);
    if (session === undefined || session.transport !== "sse") {
      sendText(response, 404, "Could not find session");
      return;
    }
    const { relay, limits } = this.#options;
    await receiveBody(request, { bodyBudget: relay.bodyBudget, maxBytes: limits.maxBodyBytes }, (body) =>
      this.#receive(session, response, body),
    );
  }

  #receive(session: Session, response: ServerResponse, bytes: Buffer): undefined {
    const body = readClientBody(bytes, this.#options.limits);
    if (body.kind === "invalid") {
      sendText(response, 400, `Error parsing JSON-RPC message: ${body.reason}`);
      return;
    }
    const messages = body.kind === "single" ? [body.message] : body.messages;
    if (body.kind === "batch" && !this.#isBatchAllowed(session, messages)) {
      sendText(response, 400, "Error parsing JSON-RPC message: batches are not allowed here");
      return;
    }
    sendText(response, 202, "Accepted");
    for (const message of messages) this.#dispatch(session, message);
  }

  #isBatchAllowed(session: Session, messages: readonly ClientMessage[]): boolean {
    return hasBatches(session.client.revision) && !messages.some(isInitialize);
  }

  #dispatch(session: Session, message: ClientMessage): void {
    const { relay } = this.#options;
    const reply: Reply = {
      notify: (text) => {
        session.standalone.push(text);
        return true;
      },
      respond: (text) => session.standalone.push(text),
      cancel: () => undefined,
    };
    if (!isInitialize(message)) {
      relay.dispatch(session, message, reply);
      return;
    }
    session.client = readClientFacts(message);
    const respond = (text: Buffer): void => {
      const revision = readAgreedRevision(text);
      if (revision !== undefined) session.establish(revision);
      reply.respond(text);
    };
    relay.initialize(message, withReply(reply, { respond }), session.caller);
  }
}
