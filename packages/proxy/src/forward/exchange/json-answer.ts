/** Forwards an answer that is read as a whole: each of its messages may be changed, or the answer replaced. */
import type { OutgoingHttpHeaders } from "node:http";
import { describeError } from "@toolhive/core/errors";
import { ByteParts } from "@toolhive/http/byte-parts";
import { readUtf8 } from "../../http/answer-encoding.ts";
import { endWith, SESSION_HEADER } from "../../http/http-exchange.ts";
import { findElements, skipSpace } from "../../messages/json-scanner.ts";
import { readAnswerType } from "../answer/answer-type.ts";
import type { AnswerHead } from "../answer/server-answer.ts";
import type { ForwardedExchange } from "./forward.ts";
import type { AnswerControl, AnswerSink } from "./relay-answer.ts";

interface JsonAnswerOptions {
  readonly control: AnswerControl;
  /** As the client gets them. */
  readonly headers: OutgoingHttpHeaders;
  /** Whether its messages are changed. False: the answer may only be replaced as a whole. */
  readonly isRead: boolean;
}

export class JsonAnswer implements AnswerSink {
  readonly #exchange: ForwardedExchange;
  readonly #options: JsonAnswerOptions;
  readonly #status: number;
  readonly #isJson: boolean;
  readonly #parts = new ByteParts();
  #isOver = false;

  constructor(answer: AnswerHead, exchange: ForwardedExchange, options: JsonAnswerOptions) {
    this.#exchange = exchange;
    this.#options = options;
    this.#status = answer.statusCode ?? 502;
    this.#isJson = readAnswerType(answer).isJson;
    delete options.headers["content-encoding"];
  }

  write(chunk: Buffer): boolean {
    if (this.#isOver) return true;
    this.#parts.add(chunk);
    if (this.#parts.length > this.#exchange.settings.maxMessageBytes) this.#refuse();
    return true;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { response } = this.#exchange;
    if (this.#status === 202) {
      // The body only repeats "accepted"; the status is enough.
      response.writeHead(202, { "content-length": 0 }).end();
      return;
    }
    const sent = this.#parts.take();
    // An error page holds no list; any other answer that cannot be parsed might.
    const isReadable = sent.length === 0 || this.#isJson || this.#status >= 400;
    const read = this.#isJson ? readUtf8(sent) : sent;
    if (!isReadable || read === undefined) refuseAnswer(this.#options.control);
    else this.#send(read);
  }

  /** The server or the client closed the connection during the answer. */
  fail(error: Error): void {
    const { settings, incoming } = this.#exchange;
    settings.log.debug({ error: describeError(error), path: incoming.url }, "exchange ended early");
    if (!this.#isOver) this.#refuse();
  }

  #refuse(): void {
    this.#isOver = true;
    this.#parts.clear();
    refuseAnswer(this.#options.control);
  }

  #send(read: Buffer): void {
    const exchange = this.#exchange;
    const { response, remote } = exchange;
    const { headers, isRead } = this.#options;
    const handed = remote?.handOver(read);
    const text = handed?.text ?? read;
    const body = this.#isJson ? changeEach(text, isRead ? exchange : new UnchangedAnswer(exchange)) : text;
    if (response.headersSent) return;
    if (handed !== undefined) {
      Object.assign(headers, handed.headers);
      exchange.recordSession({ statusCode: 200, headers: handed.headers });
      reportSession(handed.headers, exchange);
    }
    headers["content-length"] = body.length;
    response.writeHead(handed ? 200 : this.#status, headers);
    endWith(response, body);
  }
}

/** The messages of an answer that are counted, and not changed. */
class UnchangedAnswer implements Pick<ForwardedExchange, "change"> {
  readonly #exchange: Pick<ForwardedExchange, "along">;

  constructor(exchange: Pick<ForwardedExchange, "along">) {
    this.#exchange = exchange;
  }

  change(message: Buffer): Buffer {
    this.#exchange.along?.recordAnswer(message);
    return message;
  }
}

/** @param headers As the client gets them. */
export function reportSession(headers: OutgoingHttpHeaders, { along }: Pick<ForwardedExchange, "along">): void {
  const id = headers[SESSION_HEADER];
  if (typeof id === "string") along?.recordSession(id);
}

/** A batch of answers is an array of messages. */
function changeEach(text: Buffer, changing: Pick<ForwardedExchange, "change">): Buffer {
  const elements = findElements(text, skipSpace(text, 0));
  if (elements === undefined) return changing.change(text) ?? Buffer.alloc(0);
  const parts = elements.flatMap(
    ({ start, end }) => changing.change(text.subarray(start, end))?.toString("utf8") ?? [],
  );
  return Buffer.from(`[${parts.join(",")}]`);
}

export function refuseAnswer(control: AnswerControl): void {
  control.stop();
  control.refuse("The server's answer cannot be read, so it is not forwarded.");
}
