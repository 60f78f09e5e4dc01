/**
 * The streamable HTTP transport at `/mcp`: POST for messages, GET for the session's own stream, DELETE for its end.
 * Protocol revisions 2025-03-26 to 2025-11-25, sections "Transports" and "Lifecycle".
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { acceptsType } from "@toolhive/http";
import { parseEventId } from "../http/event-stream.ts";
import {
  createUnknownSession,
  HttpRefusal,
  readHeader,
  receiveBody,
  SESSION_HEADER,
  sendEmpty,
} from "../http/http-exchange.ts";
import type { Caller } from "../messages/caller.ts";
import { type ClientMessage, readClientBody } from "../messages/client-message.ts";
import { isInitialize, readAgreedRevision, readClientFacts } from "../messages/initialize-message.ts";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import { hasBatches, isSessionRevision } from "../messages/protocol-revisions.ts";
import type { Limits } from "../options/limits.ts";
import { ensureInitialized } from "../relay/ensure-initialized.ts";
import type { Relay } from "../relay/relay.ts";
import { PostReply } from "../sessions/post-reply.ts";
import { withReply } from "../sessions/reply.ts";
import type { Session } from "../sessions/session.ts";
import { isModern } from "./modern/envelope.ts";
import { type AcceptedTypes, ModernHttp, type PostedMessage } from "./modern/http.ts";

const JSON_TYPE = "application/json";
const STREAM_TYPE = "text/event-stream";
/** The revision of a client that sends no header (2025-06-18, "Protocol Version Header"). */
const UNNAMED_REVISION = "2025-03-26";

export interface StreamableHttpOptions {
  readonly relay: Relay;
  readonly limits: Limits;
  readonly now: () => number;
}

export class StreamableHttp {
  readonly #options: StreamableHttpOptions;
  /** Responses that are still open, oldest first. */
  readonly #replies = new Set<PostReply>();

  readonly #modern: ModernHttp;

  constructor(options: StreamableHttpOptions) {
    const { relay, limits, now } = options;
    this.#options = options;
    this.#modern = new ModernHttp({
      relay,
      limits,
      now,
      openReply: (response, session, accepted) =>
        this.#openReply({ response, session, expected: 1, isBatch: false, ...accepted }),
    });
  }

  /** @throws {HttpRefusal} */
  handle(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void> | undefined {
    switch (request.method) {
      case "POST":
        return this.#post(request, response, caller);
      case "GET":
        this.#get(request, response, caller);
        return undefined;
      case "DELETE":
        this.#delete(request, response, caller);
        return undefined;
      default:
        throw new HttpRefusal(405, RPC_ERRORS.INVALID_REQUEST, "Use POST, GET or DELETE.", {
          headers: {
            allow: "GET, POST, DELETE",
          },
        });
    }
  }

  /** Turns slow responses into streams, so that no intermediary times out. */
  sweep(now: number): void {
    this.#modern.sweep(now);
    for (const reply of this.#replies) {
      if (now - reply.startedAt < this.#options.limits.streamAfterMs) return;
      this.#replies.delete(reply);
      reply.becomeStream();
    }
  }

  #post(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void> {
    const accept = readHeader(request, "accept");
    const acceptsJson = acceptsType(accept, JSON_TYPE);
    const acceptsStream = acceptsType(accept, STREAM_TYPE);
    if (!acceptsJson && !acceptsStream) {
      throw new HttpRefusal(406, RPC_ERRORS.INVALID_REQUEST, `Accept must take ${JSON_TYPE} and ${STREAM_TYPE}.`);
    }
    if (!isJsonType(readHeader(request, "content-type"))) {
      throw new HttpRefusal(415, RPC_ERRORS.INVALID_REQUEST, `Content-Type must be ${JSON_TYPE}.`);
    }
    const { relay, limits } = this.#options;
    return receiveBody(request, { bodyBudget: relay.bodyBudget, maxBytes: limits.maxBodyBytes }, (body) =>
      this.#receive(body, { request, response, caller, accepted: { acceptsJson, acceptsStream } }),
    );
  }

  /** Handles a body whose headers are valid. @throws {HttpRefusal} */
  #receive(bytes: Buffer, { request, response, caller, accepted }: PostedMessage): Promise<void> | undefined {
    const body = readClientBody(bytes, this.#options.limits);
    if (body.kind === "invalid") throw new HttpRefusal(400, body.code, body.reason);
    if (body.kind === "single" && isModern(body.message, readHeader(request, "mcp-protocol-version"))) {
      return this.#modern.handle(body.message, { request, response, caller, accepted });
    }
    if (body.kind === "single" && isInitialize(body.message)) {
      checkRevision(request);
      this.#initialize(body.message, response, caller, accepted);
      return undefined;
    }
    const messages = body.kind === "single" ? [body.message] : body.messages;
    const isBatch = body.kind === "batch";
    if (readHeader(request, SESSION_HEADER) === undefined && mayBeWithoutSession(messages)) {
      checkRevision(request);
      return this.#receiveWithoutSession(messages, isBatch, { request, response, caller, accepted });
    }
    const session = this.#claimSession(request, caller);
    if (isBatch) this.#checkBatch(session.client.revision, messages);
    this.#dispatch(messages, { response, session, isBatch, ...accepted });
    return undefined;
  }

  /**
   * Answers requests of clients that do not initialize. Each POST is a client of its own, to which the server can
   * send no requests: state across requests needs a session.
   */
  async #receiveWithoutSession(
    messages: readonly ClientMessage[],
    isBatch: boolean,
    { request, response, caller, accepted }: PostedMessage,
  ): Promise<void> {
    const { relay } = this.#options;
    const revision = readHeader(request, "mcp-protocol-version") ?? UNNAMED_REVISION;
    if (isBatch) this.#checkBatch(revision, messages);
    if ((await ensureInitialized(relay)) !== undefined) {
      throw new HttpRefusal(503, RPC_ERRORS.SERVER_UNAVAILABLE, "The server could not be initialized.", {
        headers: {
          "retry-after": "5",
        },
      });
    }
    if (response.destroyed) return;
    const session = relay.sessions.createForRequest({ revision, capabilities: new Set() }, caller);
    // This session is used once: nobody reads the rest of it after the answer.
    response.once("close", () => {
      relay.abandon(session, "the client closed the response");
      session.close();
    });
    this.#dispatch(messages, { response, session, isBatch, ...accepted });
  }

  #dispatch(
    messages: readonly ClientMessage[],
    {
      response,
      session,
      isBatch,
      ...accepted
    }: { response: ServerResponse; session: Session; isBatch: boolean } & AcceptedTypes,
  ): void {
    const expected = messages.filter(({ envelope }) => envelope.kind === "request").length;
    const reply = expected === 0 ? undefined : this.#openReply({ response, session, expected, isBatch, ...accepted });
    for (const message of messages) this.#options.relay.dispatch(session, message, reply);
    if (reply === undefined) sendEmpty(response, 202);
  }

  #initialize(message: ClientMessage, response: ServerResponse, caller: Caller, accepted: AcceptedTypes): void {
    const { relay } = this.#options;
    const session = relay.sessions.create({ client: readClientFacts(message), transport: "streamable-http", caller });
    if (session === undefined) {
      throw new HttpRefusal(503, RPC_ERRORS.TOO_MANY, "Too many sessions are in use.", {
        headers: { "retry-after": "5" },
      });
    }
    const headers: Record<string, string> = { [SESSION_HEADER]: session.id };
    const reply = this.#openReply({ response, session, expected: 1, isBatch: false, ...accepted, headers });
    const respond = (text: Buffer): void => {
      const revision = readAgreedRevision(text);
      if (revision !== undefined) session.establish(revision);
      // A client must not keep the id of a session that does not exist: all its further requests would fail.
      else delete headers[SESSION_HEADER];
      const isAbandoned = revision === undefined || response.destroyed;
      reply.respond(text);
      if (isAbandoned) relay.sessions.end(session, "it was never established");
    };
    relay.initialize(message, withReply(reply, { respond }), caller);
  }

  #get(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    if (!acceptsType(readHeader(request, "accept"), STREAM_TYPE)) {
      throw new HttpRefusal(406, RPC_ERRORS.INVALID_REQUEST, `Accept must take ${STREAM_TYPE}.`);
    }
    const { relay, limits } = this.#options;
    const session = this.#claimSession(request, caller);
    if (relay.sessions.attached.size >= limits.maxStreams) {
      throw new HttpRefusal(503, RPC_ERRORS.TOO_MANY, "Too many streams are open.", {
        headers: { "retry-after": "5" },
      });
    }
    session.touch();
    const headers = { [SESSION_HEADER]: session.id };
    const last = parseEventId(readHeader(request, "last-event-id") ?? "");
    const stream = last === undefined ? undefined : session.findStream(last.stream);
    if (stream !== undefined && last !== undefined) stream.attach(response, { after: last.sequence, headers });
    else session.standalone.attach(response, { headers });
  }

  #delete(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    this.#options.relay.sessions.end(this.#claimSession(request, caller), "the client ended it");
    sendEmpty(response, 204);
  }

  #openReply(options: {
    response: ServerResponse;
    session: Session;
    expected: number;
    isBatch: boolean;
    acceptsJson: boolean;
    acceptsStream: boolean;
    headers?: Record<string, string>;
  }): PostReply {
    const reply = new PostReply({
      headers: {},
      ...options,
      startedAt: this.#options.now(),
      onDone: (done) => this.#replies.delete(done),
    });
    this.#replies.add(reply);
    return reply;
  }

  /**
   * @throws {HttpRefusal} 400 without a session id and for another revision, 404 for one that is unknown, has ended or belongs to another
   * caller.
   */
  #claimSession(request: IncomingMessage, caller: Caller): Session {
    const id = readHeader(request, SESSION_HEADER);
    if (id === undefined) {
      throw new HttpRefusal(400, RPC_ERRORS.INVALID_REQUEST, "The Mcp-Session-Id header is missing. Initialize first.");
    }
    const session = this.#options.relay.sessions.claim(id, caller);
    if (session === undefined || session.transport !== "streamable-http") {
      throw createUnknownSession();
    }
    checkRevision(request, session.client.revision);
    return session;
  }

  #checkBatch(revision: string, messages: readonly ClientMessage[]): void {
    if (!hasBatches(revision)) {
      throw new HttpRefusal(400, RPC_ERRORS.INVALID_REQUEST, `Protocol revision ${revision} has no batches.`);
    }
    if (messages.some(isInitialize)) {
      throw new HttpRefusal(400, RPC_ERRORS.INVALID_REQUEST, "initialize must not be part of a batch.");
    }
  }
}

/** An answer belongs to a request of the server, and those go only to sessions. */
function mayBeWithoutSession(messages: readonly ClientMessage[]): boolean {
  return messages.every(({ envelope }) => envelope.kind !== "response");
}

function isJsonType(header: string | undefined): boolean {
  return header === JSON_TYPE || header?.split(";")[0]?.trim().toLowerCase() === JSON_TYPE;
}

/**
 * @param agreed By the server itself, which may know a revision that is not spoken here.
 * @throws {HttpRefusal} 400 when the header names any other.
 */
function checkRevision(request: IncomingMessage, agreed?: string): void {
  const revision = readHeader(request, "mcp-protocol-version");
  if (revision === undefined || revision === agreed || isSessionRevision(revision)) return;
  throw new HttpRefusal(400, RPC_ERRORS.INVALID_REQUEST, `Unsupported MCP-Protocol-Version: ${revision.slice(0, 40)}.`);
}
