/**
 * Protocol revision 2026-07-28 on the same URL: requests without sessions, whatever the server in the container
 * speaks. For a server of an older revision the endpoint holds the session, answers `server/discover` and
 * `subscriptions/listen` itself, and turns requests of the server into `input_required` results.
 *
 * Not translated: requests and log messages of the server that belong to no request of this client.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isRecord } from "@toolhive/http/values";
import { HttpRefusal, sendEmpty, sendJson } from "../../http/http-exchange.ts";
import type { Caller } from "../../messages/caller.ts";
import { keepKnownCapabilities } from "../../messages/client-capabilities.ts";
import type { ClientMessage } from "../../messages/client-message.ts";
import { type ClientFacts, readClientName } from "../../messages/initialize-message.ts";
import { copySpan, createErrorReply, createResultReply, RPC_ERRORS, readEnvelope } from "../../messages/json-rpc.ts";
import { findMembers, findPath } from "../../messages/json-scanner.ts";
import { addResultMembers, isRemoved, removeEnvelope } from "../../messages/modern/adapt-messages.ts";
import { MODERN_REVISION } from "../../messages/protocol-revisions.ts";
import type { Limits } from "../../options/limits.ts";
import { ensureInitialized } from "../../relay/ensure-initialized.ts";
import type { Relay } from "../../relay/relay.ts";
import type { PostReply } from "../../sessions/post-reply.ts";
import type { Session } from "../../sessions/session.ts";
import { ModernCall, parseCallState } from "./call.ts";
import { type ModernClient, readModernClient } from "./envelope.ts";
import { createAcknowledgement, markForSubscription, selectSupportedFilter } from "./listen.ts";
import { ToolHeaders } from "./tool-headers.ts";

const DISCOVER = "server/discover";
const LISTEN = "subscriptions/listen";

export interface ModernHttpOptions {
  readonly relay: Relay;
  readonly limits: Limits;
  readonly now: () => number;
  readonly openReply: (response: ServerResponse, session: Session, accepted: AcceptedTypes) => PostReply;
}

/** What the client's Accept header allows. */
export interface AcceptedTypes {
  readonly acceptsJson: boolean;
  readonly acceptsStream: boolean;
}

/** An HTTP request that brought a message. */
export interface PostedMessage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly accepted: AcceptedTypes;
}

/** One request with everything that its answer depends on. */
interface RequestContext extends PostedMessage {
  readonly message: ClientMessage;
  /** Raw JSON. */
  readonly id: Buffer;
  readonly client: ModernClient;
}

export class ModernHttp {
  readonly #options: ModernHttpOptions;
  /** Calls in progress, by the state that names them to their client. */
  readonly #calls = new Map<string, ModernCall>();
  readonly #toolHeaders = new ToolHeaders();

  constructor(options: ModernHttpOptions) {
    this.#options = options;
  }

  /** Handles one message. @throws {HttpRefusal} */
  async handle(message: ClientMessage, post: PostedMessage): Promise<void> {
    const { request, response } = post;
    const { envelope } = message;
    if (envelope.kind === "response") {
      throw new HttpRefusal(400, RPC_ERRORS.INVALID_REQUEST, `Revision ${MODERN_REVISION} has no requests to answer.`);
    }
    const id = envelope.id === undefined ? undefined : copySpan(envelope.text, envelope.id);
    try {
      const client = readModernClient(message, request);
      if (id === undefined) sendEmpty(response, 202);
      else await this.#request({ ...post, message, id, client });
    } catch (error) {
      throw error instanceof HttpRefusal ? error.withId(id) : error;
    }
  }

  /** Ends calls whose clients did not return with the input. */
  sweep(now: number): void {
    for (const call of [...this.#calls.values()]) {
      const { heldSince } = call;
      if (heldSince !== undefined && now - heldSince >= this.#options.limits.serverRequestMs) {
        this.#end(call, "the client did not come back");
      }
    }
  }

  async #request(context: RequestContext): Promise<void> {
    const { message, id, client, response } = context;
    const { relay } = this.#options;
    const { method } = message.envelope;
    const failure = await ensureInitialized(relay, client.info);
    if (failure !== undefined) {
      sendJson(response, 200, copyError(failure, id));
      return;
    }
    if (response.destroyed) return;
    const isNative = relay.isServerSessionless;
    if (!isNative && (method === DISCOVER || method === LISTEN)) this.#assertAllowed(context);
    if (!isNative && isRemoved(method)) {
      throw new HttpRefusal(404, RPC_ERRORS.METHOD_NOT_FOUND, `${method} is not part of revision ${MODERN_REVISION}.`);
    }
    if (!isNative && method === DISCOVER) sendJson(response, 200, this.#discover(id));
    else if (!isNative && method === LISTEN) this.#listen(context);
    else if (!isNative && typeof message.params.requestState === "string") {
      this.#continue(context, message.params.requestState);
    } else this.#call(context, isNative);
  }

  /** Authorizes and observes requests that the endpoint itself answers. @throws {HttpRefusal} 403. */
  #assertAllowed({ message, caller, response }: RequestContext): void {
    const { relay } = this.#options;
    const observation = relay.admission.observe(caller, message);
    const refusal = relay.admission.findRefusal(caller, message);
    if (refusal !== undefined) {
      observation?.end({ outcome: "denied", response: undefined });
      throw new HttpRefusal(403, RPC_ERRORS.DENIED, refusal.reason);
    }
    response.once("close", () => observation?.end({ outcome: "success", response: undefined }));
  }

  #call({ message, id, client, caller, request, response, accepted }: RequestContext, isNative: boolean): void {
    const { relay, openReply, now } = this.#options;
    if (message.envelope.method === "tools/call") this.#toolHeaders.check(message.params, request);
    const session = relay.sessions.createForRequest(toClientFacts(client), caller);
    const call = new ModernCall({
      state: randomUUID(),
      session,
      method: message.envelope.method,
      wantsLog: client.logLevel !== undefined,
      isNative,
      serverInfo: isNative ? undefined : this.#resultMember("serverInfo"),
      onAnswer: (answer) => {
        if (message.envelope.method === "tools/list") this.#toolHeaders.recordTools(answer);
      },
      forwardAnswer: (of, envelope) => relay.respond(of, { envelope, params: {} }),
      onEnd: (ended, reason) => this.#end(ended, reason),
      now,
    });
    this.#calls.set(call.state, call);
    call.attach(openReply(response, session, accepted), id, response);
    relay.request(session, isNative ? message : translateForOlderServer(message), call);
  }

  /** A request that was sent before and now brings the input the server asked for. */
  #continue({ message, id, caller, response, accepted }: RequestContext, state: string): void {
    const call = this.#calls.get(parseCallState(state));
    const isOwnCall =
      call?.issued(state) === true && call.method === message.envelope.method && call.session.caller.id === caller.id;
    if (call?.heldSince === undefined || !isOwnCall) {
      const reason = "The requestState is unknown or over; send the request again without it.";
      throw new HttpRefusal(200, RPC_ERRORS.INVALID_PARAMS, reason);
    }
    const reply = this.#options.openReply(response, call.session, accepted);
    call.acceptInput(message);
    call.attach(reply, id, response);
  }

  #discover(id: Buffer): Buffer {
    const member = (name: string): string | undefined => this.#resultMember(name)?.toString("utf8");
    const instructions = member("instructions");
    const result = [
      `"supportedVersions":["${MODERN_REVISION}"]`,
      `"capabilities":${member("capabilities") ?? "{}"}`,
      ...(instructions === undefined ? [] : [`"instructions":${instructions}`]),
    ];
    return addResultMembers(createResultReply(id, `{${result.join(",")}}`), DISCOVER, this.#resultMember("serverInfo"));
  }

  #listen({ message, id, caller, response }: RequestContext): void {
    const { relay, limits } = this.#options;
    const capabilities: unknown = JSON.parse(this.#resultMember("capabilities")?.toString("utf8") ?? "{}");
    const filter = selectSupportedFilter(message.params.notifications, isRecord(capabilities) ? capabilities : {});
    if (filter === undefined) {
      throw new HttpRefusal(200, RPC_ERRORS.INVALID_PARAMS, "params.notifications is required and must be a filter.");
    }
    const first = createAcknowledgement(id, filter);
    const hasRoom = relay.sessions.attached.size < limits.maxStreams;
    const session = hasRoom
      ? relay.sessions.create({
          client: LISTENER,
          transport: "stateless",
          caller,
          transform: (text) => (text === first ? text : markForSubscription(text, id, filter)),
        })
      : undefined;
    if (session === undefined) {
      throw new HttpRefusal(503, RPC_ERRORS.TOO_MANY, "Too many streams are open.", {
        headers: { "retry-after": "5" },
      });
    }
    session.isEstablished = true;
    session.standalone.attach(response);
    session.standalone.push(first);
    relay.subscribe(session, filter.resourceSubscriptions ?? []);
  }

  #end(call: ModernCall, reason: string | undefined): void {
    if (!this.#calls.delete(call.state)) return;
    call.refuse(reason ?? "The call is over.");
    this.#options.relay.abandon(call.session, reason ?? "the call is over");
    // A slow client may still be reading the answer of a call that succeeded.
    if (reason !== undefined) call.session.close();
  }

  /** A member of the server's answer to `initialize`, as raw JSON. */
  #resultMember(name: string): Buffer | undefined {
    const result = this.#options.relay.initializeResult;
    const span = result === undefined ? undefined : findMembers(result, 0, [name])?.spans[0];
    return result === undefined || span === undefined ? undefined : copySpan(result, span);
  }
}

const LISTENER: ClientFacts = { revision: MODERN_REVISION, capabilities: new Set() };

function toClientFacts({ info, capabilities, logLevel }: ModernClient): ClientFacts {
  const name = readClientName(info);
  return {
    ...(name !== undefined && { name }),
    revision: MODERN_REVISION,
    capabilities: new Set(Object.keys(capabilities)),
    details: keepKnownCapabilities(capabilities),
    logLevel,
  };
}

/** Translates a request for a server of an older revision. */
function translateForOlderServer({ envelope: given, params, progressToken: token }: ClientMessage): ClientMessage {
  const envelope = readEnvelope(removeEnvelope(given.text));
  const progressToken =
    token && envelope?.params && findPath(envelope.text, envelope.params.start, ["_meta", "progressToken"]);
  // Without the token's new position the server would receive the client's own token.
  if (envelope === undefined || (token !== undefined && progressToken === undefined)) {
    throw new Error("a valid request lost its form");
  }
  return { envelope, params, progressToken };
}

/** Answers a request with the error of another one. */
function copyError(failure: Buffer, id: Buffer): Buffer {
  const error = findMembers(failure, 0, ["error"])?.spans[0];
  if (error === undefined) return createErrorReply(id, RPC_ERRORS.INTERNAL, "The server could not be initialized.");
  return Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":'),
    id,
    Buffer.from(',"error":'),
    copySpan(failure, error),
    Buffer.from("}"),
  ]);
}
