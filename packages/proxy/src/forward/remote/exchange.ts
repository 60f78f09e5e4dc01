/**
 * One exchange with a remote server: selects the client's headers that it receives, authorizes it, and selects the answers that
 * the client receives. A client's own credentials do not reach the server, and the server's do not reach the client.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { RemoteServer } from "@toolhive/core";
import { describeError, hasCode, ThvError } from "@toolhive/core/errors";
import { isRecord, parseJson } from "@toolhive/http/values";
import { HttpRefusal, readHeader, readMediaType, SESSION_HEADER } from "../../http/http-exchange.ts";
import { readErrorCode, saysAlreadyInitialized } from "../../messages/error-code.ts";
import { createResultReply, RPC_ERRORS } from "../../messages/json-rpc.ts";
import { readAnswerType } from "../answer/answer-type.ts";
import type { AnswerHead } from "../answer/server-answer.ts";
import {
  describeRedirect,
  describeRemoteAnswer,
  describeRemoteFailure,
  describeWithheldAnswer,
  type NamedServer,
} from "./problems.ts";
import { findSameOrigin, isRedirect, MAX_REDIRECTS } from "./redirects.ts";

/** What MCP itself consists of, and what says which trace a call is of. */
const TO_SERVER =
  /^(?:accept|accept-encoding|accept-language|content-type|content-length|content-encoding|last-event-id|user-agent|traceparent|tracestate|mcp-.*)$/;
/** Bytes of a challenge that are read. */
const MAX_CHALLENGE = 8 * 1024;

export interface RemoteExchangeOptions {
  readonly remote: RemoteServer;
  readonly server: NamedServer;
  /** Path and query of the client's request at this machine. */
  readonly clientUrl: string;
  readonly method: string;
  readonly hasSession: boolean;
  /** Whether the same request can be sent again. */
  readonly canRepeat: boolean;
  /** Id of the client's request, raw JSON. */
  readonly id: Buffer | undefined;
  /** Ends with the client's request. Asked for when it is needed: few requests need it. */
  readonly signal: AbortSignal;
  /** Present for a client's `initialize`. */
  readonly givesSession?: SessionGiver | undefined;
}

/** Who has a session of the server that a client may go on with. */
export interface SessionGiver {
  handOver(): { readonly id: string | undefined; readonly result: object } | undefined;
}

export class RemoteExchange {
  readonly #options: RemoteExchangeOptions;
  #authorization: string | undefined;
  #path: string;
  #redirects = 0;
  #hasRepeated = false;

  constructor(options: RemoteExchangeOptions) {
    const { remote, server, method, clientUrl } = options;
    this.#options = options;
    const isOwnPath = remote.isTransparent || (server.transport === "sse" && method === "POST");
    this.#path = isOwnPath ? clientUrl : remote.url.pathname + remote.url.search;
  }

  /** Path and query at the server. */
  get path(): string {
    return this.#path;
  }

  /** What relative addresses in the answer are relative to. */
  get address(): URL {
    return new URL(this.#path, this.#options.remote.url);
  }

  /** Whether there is nothing to authorize. */
  get isOpen(): boolean {
    return this.#options.remote.authorization.isOpen === true;
  }

  /** Called before each sending, unless it is open. @throws {ThvError} When there is no token. */
  async authorize(): Promise<void> {
    const { remote } = this.#options;
    try {
      this.#authorization = await remote.authorization.authorize(this.#options.signal);
    } catch (error) {
      throw error instanceof ThvError
        ? error
        : new ThvError("SERVER_NOT_READY", describeError(error), { cause: error });
    }
  }

  /** Whether the server receives a header of the client. @param name In lower case. */
  passes(name: string): boolean {
    const { remote } = this.#options;
    // Given below. A page of this machine has no meaning there, and the server need not know the caller.
    if (name === "host" || name === "origin" || remote.headers?.[name] !== undefined) return false;
    if (this.#authorization !== undefined && (name === "authorization" || name === "cookie")) return false;
    return remote.isTransparent === true || TO_SERVER.test(name);
  }

  /** Adds what the server receives of the endpoint. @param headers Names and values in turn. */
  addHeaders(headers: string[]): void {
    const { remote } = this.#options;
    for (const name in remote.headers) {
      const value = remote.headers[name];
      const isOwn = name === "host" || (name === "authorization" && this.#authorization !== undefined);
      if (value !== undefined && !isOwn) headers.push(name, value);
    }
    headers.push("host", remote.url.host);
    if (this.#authorization !== undefined) headers.push("authorization", this.#authorization);
  }

  /** The same for a request of our own. */
  buildHeaders(given: OutgoingHttpHeaders): OutgoingHttpHeaders {
    const names = Object.keys(given).filter((name) => this.passes(name));
    const sent = Object.fromEntries(names.map((name) => [name, given[name]]));
    const added: string[] = [];
    this.addHeaders(added);
    for (let index = 0; index < added.length; index += 2) sent[added[index] ?? ""] = added[index + 1];
    return sent;
  }

  /** Whether clients sign in at the server by themselves. */
  get isHandedOn(): boolean {
    return this.#options.remote.isTransparent === true && this.#authorization === undefined;
  }

  /**
   * @returns Whether the same request has to be sent again.
   * @throws {ThvError} At once or later, when the client does not get the answer.
   */
  judge(answer: AnswerHead): boolean | Promise<boolean> {
    const { statusCode } = answer;
    if (statusCode !== 401 && statusCode !== 403) return this.#judge(answer);
    return this.#onRefused(answer, statusCode).then((isRenewed) => {
      if (!isRenewed || !this.#options.canRepeat || this.#hasRepeated) return this.#judge(answer);
      this.#hasRepeated = true;
      return true;
    });
  }

  #judge(answer: AnswerHead): boolean {
    const { remote, server, method, canRepeat, hasSession } = this.#options;
    const { statusCode } = answer;
    if (statusCode !== undefined && statusCode < 300 && this.#authorization !== undefined) {
      remote.authorization.onAccepted?.(this.#authorization);
    }
    if (isPlainAnswer(answer)) {
      this.#report(undefined);
      return false;
    }
    const path = isRedirect(answer) ? findSameOrigin(answer, new URL(this.#path, remote.url)) : undefined;
    if (path !== undefined && canRepeat && this.#redirects < MAX_REDIRECTS) {
      this.#redirects += 1;
      this.#path = path;
      return true;
    }
    const problem = remote.isTransparent
      ? describeRedirect(answer, server)
      : (this.#readGrantProblem(statusCode) ?? describeWithheldAnswer(answer, server, method));
    if (problem !== undefined) throw problem;
    // Any other answer passes as the server sent it, also one that shows that the server needs to be checked.
    this.#report(remote.isTransparent ? undefined : describeRemoteAnswer(answer, server, { hasSession }));
    return false;
  }

  /** Servers need neither GET nor DELETE, so their answers show nothing about a server. */
  #report(problem: ThvError | undefined): void {
    const { remote, method } = this.#options;
    if (method === "POST") remote.onOutcome?.(problem);
  }

  /** Whether the answer may be a refusal in place of which the client gets a session. */
  mayHandOver(answer: AnswerHead): boolean {
    return this.#options.givesSession !== undefined && readMediaType(answer) === "application/json";
  }

  /**
   * A server that accepts one session for its whole process has given it to the check: the client gets it.
   *
   * @param answer Of the server. @returns What takes its place.
   */
  handOver(answer: Buffer): { readonly text: Buffer; readonly headers: Record<string, string> } | undefined {
    const { givesSession, id } = this.#options;
    if (givesSession === undefined || id === undefined || readErrorCode(answer) === undefined) return undefined;
    const message = parseJson(answer.toString("utf8"));
    const error = isRecord(message) && isRecord(message.error) ? message.error : {};
    const handed = saysAlreadyInitialized(String(error.message)) ? givesSession.handOver() : undefined;
    return (
      handed && {
        text: createResultReply(id, JSON.stringify(handed.result)),
        headers: handed.id === undefined ? {} : { [SESSION_HEADER]: handed.id },
      }
    );
  }

  /** A problem, or the error of the connection, as an answer, and as news for who watches the server. */
  refuse(error: unknown): HttpRefusal {
    const { remote, id, server } = this.#options;
    const problem = error instanceof ThvError ? error : describeRemoteFailure(error, server);
    // An exchange that the client broke off shows nothing about the server.
    if (!this.#options.signal.aborted) this.#report(problem);
    const text = [problem.message, problem.hint].filter(Boolean).join(" ");
    const isSignIn = hasCode(problem, "UNAUTHENTICATED");
    // With another status, clients would try to sign in at this machine, or not show the message.
    const status = isSignIn && id !== undefined && !remote.isTransparent ? 200 : 502;
    const data = { code: problem.code, ...(problem.hint !== undefined && { hint: problem.hint }) };
    return new HttpRefusal(status, RPC_ERRORS.SERVER_UNAVAILABLE, text, { data, id });
  }

  async #onRefused(answer: AnswerHead, status: 401 | 403): Promise<boolean> {
    const wwwAuthenticate = readHeader(answer, "www-authenticate")?.slice(0, MAX_CHALLENGE);
    if (status === 403 && wwwAuthenticate === undefined) return false;
    const usedAuthorization = this.#authorization;
    const { authorization } = this.#options.remote;
    return await authorization
      .onRefused(
        {
          status,
          ...(wwwAuthenticate !== undefined && { wwwAuthenticate }),
          ...(usedAuthorization !== undefined && { usedAuthorization }),
        },
        this.#options.signal,
      )
      .catch(() => false);
  }

  /** The grant's own problem is more exact than the status of the answer. */
  #readGrantProblem(status: number | undefined): ThvError | undefined {
    if (status !== 401) return undefined;
    const { error } = this.#options.remote.authorization.describe();
    return error && new ThvError(error.code, error.message, { hint: error.hint });
  }
}

/** Most answers are: nothing is wrong with them. */
function isPlainAnswer(answer: AnswerHead): boolean {
  const { statusCode = 0 } = answer;
  return statusCode >= 200 && statusCode < 300 && readAnswerType(answer).isOfMcp;
}

interface ClientRequestFacts extends Pick<RemoteExchangeOptions, "remote" | "server" | "id" | "givesSession"> {
  /** Of the client's request, without the query. */
  readonly path: string;
  /** Whether its body was read, so that it can be sent again. */
  readonly isRead: boolean;
}

/** For one request of a client. @throws {HttpRefusal} 404 for anything but the MCP endpoint. */
export function openRemoteExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { remote, server, id, path, isRead, givesSession }: ClientRequestFacts,
): RemoteExchange {
  const isMcp = path === "/mcp" || path === "/mcp/";
  if (!remote.isTransparent && server.transport === "streamable-http" && !isMcp)
    throw new HttpRefusal(404, RPC_ERRORS.INVALID_REQUEST, "Nothing is here but the MCP endpoint, /mcp.");
  const { url = "/", method = "GET", headers } = request;
  return new RemoteExchange({
    remote,
    server,
    id,
    method,
    givesSession,
    clientUrl: url,
    // A server may have forgotten it.
    hasSession: headers[SESSION_HEADER] !== undefined,
    canRepeat: isRead || method === "GET" || method === "DELETE",
    get signal() {
      return openSignal(response);
    },
  });
}

/** Ends when the client breaks the exchange off. */
function openSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) gone.abort(new Error("the client has gone"));
  };
  if (response.destroyed) leave();
  else response.once("close", leave);
  return gone.signal;
}
