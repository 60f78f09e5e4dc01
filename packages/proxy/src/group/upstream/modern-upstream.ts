/**
 * A server of revision 2026-07-28, which knows no sessions, as a server of the revisions with sessions: a group asks all of its
 * servers in the same way. Each request says for whom it asks. What the server asks in an answer becomes a request of the server.
 */
import type { ClientSession, Post } from "@toolhive/mcp-client";
import { RefusedMessage } from "@toolhive/mcp-client";
import {
  copySpan,
  createErrorReply,
  createResultReply,
  type Envelope,
  RPC_ERRORS,
  readAnswerId,
  readEnvelope,
  readString,
} from "../../messages/json-rpc.ts";
import { findMembers } from "../../messages/json-scanner.ts";
import { META } from "../../messages/meta-keys.ts";
import { SUBSCRIBE, UNSUBSCRIBE } from "../../messages/methods.ts";
import { addEnvelope } from "../../messages/modern/adapt-messages.ts";
import { ChangeStream } from "./modern-change-stream.ts";
import { formatRetry, InputQuestions, type Round } from "./modern-input.ts";
import { buildRequestHeaders, readRequestEnvelope } from "./modern-requests.ts";
import { describeFailure } from "./request-failure.ts";
import type { ModernServer, OpenUpstreamOptions, Upstream, UpstreamHandler } from "./upstream.ts";

const SET_LEVEL = "logging/setLevel";

interface Call {
  readonly request: Envelope;
  readonly headers: Record<string, string>;
  /** Members of this request's `_meta`, beside those that all requests of the session have. */
  readonly envelope: Readonly<Record<string, unknown>>;
  post: Post | undefined;
}

export class ModernUpstream implements Upstream {
  readonly isAttributed = true;
  readonly result: Buffer;
  readonly #session: ClientSession;
  readonly #handler: UpstreamHandler;
  readonly #server: ModernServer;
  readonly #envelope: Record<string, unknown>;
  readonly #changes: ChangeStream;
  readonly #calls = new Map<number, Call>();
  readonly #questions = new InputQuestions();

  /** @param discovered Raw JSON of the answer to `server/discover`. */
  constructor(
    session: ClientSession,
    discovered: Buffer,
    { initialize, handler, server, followsLists }: Omit<OpenUpstreamOptions, "url" | "limits" | "signal">,
  ) {
    this.#session = session;
    this.#handler = handler;
    this.#server = server;
    this.result = discovered;
    this.#envelope = { ...readRequestEnvelope(initialize) };
    this.#changes = new ChangeStream({
      ...{ session, envelope: this.#envelope, followsLists },
      onChange: (text) => handler.onMessage(text, undefined),
    });
  }

  send(message: readonly Buffer[], id: number | undefined, logLevel?: string): void {
    const request = readEnvelope(Buffer.concat(message));
    if (request?.kind === "response") this.#receiveInput(request);
    // The revision has no notifications of clients: who cancels a request closes its stream, which `forget` does.
    if (request?.kind !== "request" || id === undefined) return;
    if (this.#answerHere(request, id)) return;
    const call: Call = {
      request,
      headers: buildRequestHeaders(request, this.#server.tools),
      post: undefined,
      envelope: logLevel === undefined ? {} : { [META.logLevel]: logLevel },
    };
    this.#calls.set(id, call);
    this.#post(id, call);
  }

  forget(id: number): void {
    this.#questions.forget(id);
    this.#calls.get(id)?.post?.cancel();
    this.#calls.delete(id);
  }

  touch(): void {
    // There is no session that could end.
  }

  close(): void {
    this.#calls.clear();
    this.#changes.close();
    void this.#session.close();
  }

  /** Requests that the revision removed, and has other means for. */
  #answerHere({ text, method, params, id: span }: Envelope, id: number): boolean {
    const read = (name: string) => params && readString(text, findMembers(text, params.start, [name])?.spans[0]);
    if (method === SET_LEVEL) this.#envelope[META.logLevel] = read("level");
    else if (method === SUBSCRIBE || method === UNSUBSCRIBE) {
      const uri = read("uri");
      if (uri !== undefined) this.#changes.follow(uri, method === SUBSCRIBE);
    } else return false;
    const answer = span && createResultReply(copySpan(text, span), "{}");
    if (answer) queueMicrotask(() => this.#handler.onMessage(answer, id));
    return true;
  }

  #post(id: number, call: Call, retry: readonly string[] = []): void {
    let isAnswered = false;
    const post = this.#session.post({
      body: [addEnvelope(call.request.text, { ...this.#envelope, ...call.envelope }, retry)],
      headers: call.headers,
      isAnswered: () => isAnswered,
      onMessage: (text) => {
        const message = readEnvelope(text);
        if (message?.kind === "response") {
          isAnswered = true;
          this.#receiveAnswer(id, call, message);
        } else if (message?.kind === "notification") this.#handler.onMessage(text, id);
      },
    });
    call.post = post;
    post.done.then(
      () => isAnswered || this.#fail(id, post, new Error("its answer ended early")),
      (error: unknown) => isAnswered || this.#fail(id, post, error),
    );
  }

  #receiveAnswer(id: number, call: Call, answer: Envelope): void {
    if (this.#calls.get(id) !== call) return;
    try {
      const asked = this.#questions.ask(id, answer);
      if (asked === undefined) {
        if (call.request.method === "tools/list") this.#server.tools.recordTools(answer.text);
        this.#end(id, answer.text);
      } else if (asked.requests.length === 0) this.#post(id, call, formatRetry(asked.round));
      else for (const request of asked.requests) this.#handler.onMessage(request, id);
    } catch (error) {
      this.#fail(id, call.post, error);
    }
  }

  /** A client answers what the server has asked. */
  #receiveInput(answer: Envelope): void {
    const { round, isRefused } = this.#questions.receive(answer) ?? {};
    const call = round && this.#calls.get(round.call);
    if (round === undefined || call === undefined) return;
    if (isRefused === true) this.#refuse(round, call);
    else this.#post(round.call, call, formatRetry(round));
  }

  #refuse({ call: id }: Round, { request: { text, id: span } }: Call): void {
    const reason = "The client has not answered what the server asked for this request.";
    if (span !== undefined) this.#end(id, createErrorReply(copySpan(text, span), RPC_ERRORS.INVALID_PARAMS, reason));
  }

  #fail(id: number, post: Post | undefined, error: unknown): void {
    const call = this.#calls.get(id);
    if (call === undefined || call.post !== post) return;
    if (error instanceof RefusedMessage) {
      const answer = readEnvelope(error.body);
      if (answer?.kind === "response" && readAnswerId(error.body, answer.id) === id) {
        this.#end(id, error.body);
        return;
      }
    }
    this.#questions.forget(id);
    this.#calls.delete(id);
    this.#handler.onFailed(id, describeFailure(error));
  }

  #end(id: number, answer: Buffer): void {
    this.#questions.forget(id);
    this.#calls.delete(id);
    this.#handler.onMessage(answer, id);
  }
}
