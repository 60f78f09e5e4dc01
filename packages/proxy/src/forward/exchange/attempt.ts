/** Sends a client's request to its server once, and hands the answer on. */
import { PassThrough } from "node:stream";
import { describeError } from "@toolhive/core/errors";
import type { Dispatcher } from "undici";
import { createUnknownSession, HttpRefusal } from "../../http/http-exchange.ts";
import { RPC_ERRORS } from "../../messages/json-rpc.ts";
import { type AnswerHead, readAnswerHead } from "../answer/server-answer.ts";
import { ProxyRefusal } from "../remote/proxy-connect.ts";
import { isRedirect } from "../remote/redirects.ts";
import { type ForwardedExchange, formatAuthority, hasBody, type Route, type Sending } from "./forward.ts";
import { buildForwardedHeaders } from "./forwarded-headers.ts";
import { type AnswerControl, type AnswerSink, openAnswer } from "./relay-answer.ts";
import { explainFailure } from "./server-client.ts";

interface Settle {
  /** @param isAgain Whether the request has to be sent once more. */
  readonly resolve: (isAgain: boolean) => void;
  readonly reject: (error: HttpRefusal) => void;
}

export class Attempt implements Dispatcher.DispatchHandler, AnswerControl {
  readonly #exchange: ForwardedExchange;
  readonly #sending: Sending;
  readonly #settle: Settle;
  #abort: ((reason: Error) => void) | undefined;
  /** Present once the rest of the answer is dropped. */
  #ended: Error | undefined;
  /** Whether the whole answer has come. */
  #isComplete = false;
  #sink: AnswerSink | undefined;
  #resume: (() => void) | undefined;
  readonly #onClose = (): void => {
    this.#leave();
    // Making an error costs as much as all the rest of a small answer.
    if (!this.#isComplete) this.#end(new Error("the client has gone"));
    this.#settle.resolve(false);
  };

  constructor(exchange: ForwardedExchange, sending: Sending, settle: Settle) {
    this.#exchange = exchange;
    this.#sending = sending;
    this.#settle = settle;
  }

  send(): void {
    const exchange = this.#exchange;
    const { incoming, response, target, client, settings } = exchange;
    const { path, body } = this.#sending;
    settings.open.add(this);
    response.on("close", this.#onClose);
    const protocol = target.remote?.url.protocol ?? "http:";
    client.dispatch(
      {
        origin: `${protocol}//${formatAuthority(target)}`,
        path,
        method: incoming.method as Dispatcher.HttpMethod,
        headers: buildForwardedHeaders(exchange, body),
        body: body ?? (hasBody(incoming) ? this.#openBody() : null),
      },
      this,
    );
  }

  /** The endpoint gives up on the server. */
  end(reason: string): void {
    this.#fail(new Error(reason));
  }

  /** Ends the answer with 502, or cuts a response that has begun. */
  refuse(reason: string): void {
    if (this.#exchange.response.headersSent) this.#exchange.response.destroy();
    else this.#settle.reject(new HttpRefusal(502, RPC_ERRORS.SERVER_UNAVAILABLE, reason));
  }

  /** Drops the rest of the answer. */
  stop(): void {
    this.#end(new Error("the answer is dropped"));
  }

  resume(): void {
    this.#resume?.();
  }

  onConnect(abort: (reason?: Error) => void): void {
    if (this.#ended === undefined) this.#abort = abort;
    else abort(this.#ended);
  }

  onHeaders(statusCode: number, raw: Buffer[], resume: () => void): boolean {
    if (statusCode < 200) return true;
    this.#resume = resume;
    return this.#onAnswer(readAnswerHead(statusCode, raw));
  }

  onData(chunk: Buffer): boolean {
    return this.#sink?.write(chunk) ?? true;
  }

  onComplete(): void {
    this.#isComplete = true;
    this.#sink?.end();
  }

  onError(error: Error): void {
    if (this.#ended !== undefined) return;
    if (error instanceof ProxyRefusal) {
      // What the proxy says takes the place of an answer.
      this.#resume = () => this.#sink?.end();
      if (this.#onAnswer({ statusCode: error.statusCode, headers: {} })) this.#sink?.end();
    } else this.#fail(error);
  }

  /** @returns Whether its body is read now. */
  #onAnswer(answer: AnswerHead): boolean {
    const { remote } = this.#exchange;
    const { redirects } = this.#sending;
    try {
      if (redirects !== undefined && isRedirect(answer)) {
        redirects.follow(answer).then(
          () => this.#sendAgain(),
          (error: unknown) => {
            this.stop();
            this.refuse(describeError(error));
          },
        );
        return false;
      }
      const isAgain = remote?.judge(answer) ?? false;
      if (isAgain === true) this.#sendAgain();
      else if (isAgain === false) return this.#relay(answer);
      else this.#wait(answer, isAgain);
    } catch (error) {
      this.#refuseAnswer(error);
    }
    return false;
  }

  #wait(answer: AnswerHead, judged: Promise<boolean>): void {
    judged.then(
      (isAgain) => {
        if (isAgain) this.#sendAgain();
        else if (!this.#exchange.response.destroyed && this.#relay(answer)) this.#resume?.();
      },
      (error: unknown) => this.#refuseAnswer(error),
    );
  }

  #refuseAnswer(error: unknown): void {
    this.stop();
    const { remote } = this.#exchange;
    if (remote !== undefined) this.#settle.reject(remote.refuse(error));
  }

  #relay(answer: AnswerHead): boolean {
    try {
      this.#sink = openAnswer(answer, this.#exchange, this);
    } catch (error) {
      // Servers may send statuses and headers that Node does not write.
      this.stop();
      this.refuse(`The server's answer cannot be handed on: ${describeError(error)}.`);
    }
    return this.#ended === undefined;
  }

  /** The client gets nothing of this answer. */
  #sendAgain(): void {
    this.#leave();
    // The next attempt has a connection of its own; an endless answer would keep this one busy.
    this.stop();
    this.#settle.resolve(true);
  }

  #leave(): void {
    const { settings, response } = this.#exchange;
    settings.open.delete(this);
    response.off("close", this.#onClose);
  }

  #end(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#abort?.(reason);
  }

  #fail(failure: Error): void {
    const { response, settings, incoming, remote, route } = this.#exchange;
    const error = explainFailure(failure, settings.connectMs);
    this.#end(error);
    if (this.#sink !== undefined) {
      this.#sink.fail(error);
      return;
    }
    settings.log.warn({ error: describeError(error), path: incoming.url }, "server could not be reached");
    const isOpen = !response.headersSent && !response.destroyed;
    // The process that held the session has ended, and the session with it.
    if (hasSession(route) && isRefused(error) && isOpen) this.#settle.reject(createUnknownSession());
    else if (error.message === BAD_UPGRADE) this.refuse(UPGRADE_REASON);
    else if (remote !== undefined && isOpen) this.#settle.reject(remote.refuse(error));
    else this.refuse(`The server behind this endpoint did not answer: ${describeError(error)}.`);
  }

  /** The request's own stream ends with the client's connection, and must not end with the server's. */
  #openBody(): PassThrough {
    const { incoming, along, settings } = this.#exchange;
    const { maxBodyBytes } = settings;
    const body = new PassThrough();
    let bytes = 0;
    if (along !== undefined) incoming.once("end", () => along.addToBody(undefined));
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      along?.addToBody(chunk);
      if (bytes > maxBodyBytes) this.#fail(new Error(`the body is larger than ${maxBodyBytes} bytes`));
    });
    incoming.pipe(body);
    // The client's own, which ends the exchange in another way.
    body.on("error", () => undefined);
    return body;
  }
}

const BAD_UPGRADE = "bad upgrade";
const UPGRADE_REASON = "The server wants to switch to another protocol than HTTP, which MCP does not need.";

function hasSession(route: Route | undefined): boolean {
  return route?.sessionId !== undefined || route?.url !== undefined;
}

function isRefused(error: Error): boolean {
  return "code" in error && error.code === "ECONNREFUSED";
}
