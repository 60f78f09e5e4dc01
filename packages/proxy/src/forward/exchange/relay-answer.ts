/** Hands a server's answer on to the client: as it comes, as one text that is read before, or as a stream of events. */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { pipeline, Readable } from "node:stream";
import { decodeBody, isEncoded } from "@toolhive/http/decode-answer";
import { deriveOrigin } from "../../access/protected-resource.ts";
import { EndpointEventRewriter } from "../../http/endpoint-event.ts";
import { EventFilter } from "../../http/event-filter.ts";
import { readAnswerType } from "../answer/answer-type.ts";
import type { AnswerHead } from "../answer/server-answer.ts";
import type { AnswerReader, ForwardedExchange } from "./forward.ts";
import { readHeaders } from "./forwarded-headers.ts";
import { JsonAnswer, refuseAnswer, reportSession } from "./json-answer.ts";

/** What the reader of an answer may ask for. */
export interface AnswerControl {
  /** Answers with 502, or cuts a response that has begun. */
  refuse(reason: string): void;
  /** Drops the rest of the answer. */
  stop(): void;
  /** Asks for more, after a chunk was too much. */
  resume(): void;
}

/** Gets the body of an answer. */
export interface AnswerSink {
  /** @returns Whether more is read now. */
  write(chunk: Buffer): boolean;
  end(): void;
  /** The rest will not come. */
  fail(error: Error): void;
}

/** @throws When Node does not write a status or header of the answer. */
export function openAnswer(answer: AnswerHead, exchange: ForwardedExchange, control: AnswerControl): AnswerSink {
  const type = readAnswerType(answer);
  const isRead = exchange.isRead && (!exchange.passesUnread || type.isForClients);
  exchange.recordSession(answer);
  const headers = readHeaders(answer, exchange);
  reportSession(headers, exchange);
  if (isRead && !type.isUtf8) {
    refuseAnswer(control);
    return NOWHERE;
  }
  if (type.isEventStream) return openStream(answer, exchange, { control, headers, isRead });
  if (!isRead && exchange.remote?.mayHandOver(answer) !== true) {
    exchange.response.writeHead(answer.statusCode ?? 502, headers);
    return new PlainAnswer(exchange, control, exchange.along?.readAnswer(answer, false));
  }
  const whole = new JsonAnswer(answer, exchange, { control, headers, isRead });
  if (!isEncoded(answer)) return whole;
  const body = new AnswerBody(control);
  const decoded = decodeBody(answer, body);
  decoded.on("data", (chunk: Buffer) => whole.write(chunk));
  decoded.on("end", () => whole.end());
  decoded.on("error", (error) => whole.fail(error));
  return body;
}

const NOWHERE: AnswerSink = { write: () => true, end: () => undefined, fail: () => undefined };

/** Hands chunks on as they come. */
class PlainAnswer implements AnswerSink {
  readonly #exchange: ForwardedExchange;
  readonly #control: AnswerControl;
  readonly #reader: AnswerReader | undefined;

  constructor(exchange: ForwardedExchange, control: AnswerControl, reader: AnswerReader | undefined) {
    this.#exchange = exchange;
    this.#control = control;
    this.#reader = reader;
    if (reader !== undefined) exchange.response.once("close", () => reader.close());
    exchange.response.on("error", (error) => reportEarlyEnd(error, exchange));
  }

  write(chunk: Buffer): boolean {
    const { response } = this.#exchange;
    this.#reader?.add(chunk);
    if (response.write(chunk) || response.destroyed) return true;
    response.once("drain", () => this.#control.resume());
    return false;
  }

  end(): void {
    this.#reader?.end();
    this.#exchange.response.end();
  }

  fail(error: Error): void {
    reportEarlyEnd(error, this.#exchange);
    this.#exchange.response.destroy();
  }
}

/** The body as a stream, for what is read through others. */
class AnswerBody extends Readable implements AnswerSink {
  readonly #control: AnswerControl;

  constructor(control: AnswerControl) {
    super();
    this.#control = control;
  }

  override _read(): void {
    this.#control.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.readableEnded) this.#control.stop();
    done(error);
  }

  write(chunk: Buffer): boolean {
    return this.push(chunk);
  }

  end(): void {
    this.push(null);
  }

  fail(error: Error): void {
    this.destroy(error);
  }
}

interface OpenedStream {
  readonly control: AnswerControl;
  readonly headers: OutgoingHttpHeaders;
  readonly isRead: boolean;
}

function openStream(
  answer: AnswerHead,
  exchange: ForwardedExchange,
  { control, headers, isRead }: OpenedStream,
): AnswerSink {
  const { incoming, response, settings, along } = exchange;
  const filter = isRead ? new EventFilter((message) => exchange.change(message), settings.maxMessageBytes) : undefined;
  const raw = new AnswerBody(control);
  const body = isEncoded(answer) ? decodeBody(answer, raw) : raw;
  delete headers["content-encoding"];
  delete headers["content-length"];
  exchange.recordStream(filter);
  response.writeHead(answer.statusCode ?? 502, headers);
  response.flushHeaders();
  const onEnd = (error: Error | null | undefined): void => {
    // The client or the server closed the connection; either way the response has ended.
    if (error) reportEarlyEnd(error, exchange);
  };
  const isPost = incoming.method === "POST";
  // No client learns from an answer where to post.
  const rewriter = isPost ? [] : [openRewriter(exchange)];
  if (filter === undefined && (isPost || exchange.hasEndpointEvent)) {
    const reader = along?.readAnswer(answer, true);
    if (reader !== undefined) body.on("data", (chunk: Buffer) => reader.add(chunk)).once("close", () => reader.close());
  }
  pipeline([body, ...rewriter, ...(filter ? [filter] : []), response], onEnd);
  return raw;
}

function openRewriter(exchange: ForwardedExchange): EndpointEventRewriter {
  const { incoming, hasEndpointEvent, remote, sealPostAddress } = exchange;
  // Over streamable HTTP, too: a client that was refused there may continue over HTTP with SSE.
  return new EndpointEventRewriter({
    base: new URL(readTarget(incoming), deriveOrigin(incoming)),
    serverUrl: remote?.address,
    seal: sealPostAddress,
    onAddress: (address) => {
      if (hasEndpointEvent) exchange.recordPostAddress(address);
    },
  });
}

function reportEarlyEnd(error: Error, { incoming, settings }: ForwardedExchange): void {
  settings.log.debug({ error: error.message, path: incoming.url }, "exchange ended early");
}

/** Path and query of the request. */
function readTarget({ url = "/" }: IncomingMessage): string {
  return url.startsWith("/") && !url.startsWith("//") ? url : "/";
}
