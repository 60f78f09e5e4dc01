/**
 * Reads along what passes unread, so that it can be counted: bytes are forwarded as they come, whatever is found in them, and what is
 * too large is counted without a name.
 */
import { isRecord, parseJson } from "@toolhive/http/values";
import { EventFilter } from "../http/event-filter.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { readEnvelope, readString } from "../messages/json-rpc.ts";
import { findElements, findMembers, type Span, skipSpace } from "../messages/json-scanner.ts";
import { INITIALIZE } from "../messages/methods.ts";
import { isMetered } from "../observe/usage-meter.ts";
import type { AnswerHead } from "./answer/server-answer.ts";
import type { AnswerReader, ReadAlong } from "./exchange/forward.ts";
import type { ObservedExchange } from "./http-observations.ts";

/** Bytes of one body or answer, and of all that are read along at a time. */
const MAX_BYTES = 1024 * 1024;
const MAX_BYTES_OF_ALL = 16 * 1024 * 1024;
/** Bytes of what a client says about itself. */
const MAX_CLIENT_BYTES = 16 * 1024;
const MAX_BATCH = 100;
/** How clients begin a call, as nearly all SDKs write it. */
const CALL =
  /^\{(?:"jsonrpc":"2\.0",)?(?:"id":\d{1,16},)?"method":"tools\/call","params":\{"name":"([\w.:/ -]{1,100})"[,}]/;
/** Bytes in which that is found. */
const HEAD_BYTES = 300;
/** Of clients that say in each request who they are. */
const CLIENT_INFO = Buffer.from("clientInfo");
const MEMBERS = ["name", "cursor", "clientInfo", "_meta"] as const;

/** What an endpoint reads along, of all its exchanges. */
export class UnreadMessages {
  /** Bytes that are kept at this moment. */
  bytes = 0;

  follow(exchange: ObservedExchange): ReadAlong {
    return new UnreadExchange(this, exchange);
  }
}

class UnreadExchange implements ReadAlong {
  readonly #all: UnreadMessages;
  readonly #exchange: ObservedExchange;
  #body: Collected | undefined;
  /** Whether its only message was recognized by its first bytes. */
  #isRecorded = false;

  constructor(all: UnreadMessages, exchange: ObservedExchange) {
    this.#all = all;
    this.#exchange = exchange;
  }

  recordSession(id: string): void {
    this.#exchange.recordSession(id);
  }

  recordAnswer(message: Buffer): void {
    this.#exchange.recordAnswer(message);
  }

  addToBody(chunk: Buffer | undefined): void {
    if (this.#isRecorded) return;
    if (chunk !== undefined && this.#body === undefined && this.#exchange.isNamed && this.#recordByHead(chunk)) {
      // Nothing else of it is needed: what the client calls itself is known.
      this.#isRecorded = true;
      return;
    }
    this.#body ??= new Collected(this.#all);
    if (chunk !== undefined) {
      const head = this.#body.add(chunk);
      if (head !== undefined) this.#recordByHead(head);
      return;
    }
    const body = this.#body.take();
    if (body === undefined || (!body.includes(CLIENT_INFO) && this.#recordByHead(body))) return;
    for (const message of readMetered(body)) this.#exchange.recordMessage(message, false);
  }

  readAnswer({ statusCode = 502, headers }: AnswerHead, isStream: boolean): AnswerReader | undefined {
    const exchange = this.#exchange;
    if (isStream) return new EventReader(exchange);
    if (!exchange.isAwaiting) return undefined;
    const isPlain = headers["content-encoding"] === undefined;
    return new TextReader(exchange, isPlain ? new Collected(this.#all) : undefined, statusCode < 400);
  }

  #recordByHead(body: Buffer): boolean {
    const tool = CALL.exec(body.toString("utf8", 0, HEAD_BYTES))?.[1];
    return tool !== undefined && this.#exchange.recordCall(tool);
  }
}

/** Bytes of one body, while there are not too many. */
class Collected {
  readonly #all: UnreadMessages;
  #chunks: Buffer[] | undefined = [];
  #bytes = 0;

  constructor(all: UnreadMessages) {
    this.#all = all;
  }

  /** @returns The first chunk, once, when there are too many bytes; nothing is kept then. */
  add(chunk: Buffer): Buffer | undefined {
    if (this.#chunks === undefined) return undefined;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#all.bytes += chunk.length;
    if (this.#bytes <= MAX_BYTES && this.#all.bytes <= MAX_BYTES_OF_ALL) return undefined;
    const [head] = this.#chunks;
    this.#end();
    return head;
  }

  /** @returns All bytes, once; `undefined` when there were too many. */
  take(): Buffer | undefined {
    const chunks = this.#chunks;
    if (chunks === undefined) return undefined;
    const [only] = chunks;
    const text = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, this.#bytes);
    this.#end();
    return text;
  }

  #end(): void {
    this.#chunks = undefined;
    this.#all.bytes -= this.#bytes;
    this.#bytes = 0;
  }
}

/** Reads an answer that is one JSON text. */
class TextReader implements AnswerReader {
  readonly #exchange: ObservedExchange;
  readonly #text: Collected | undefined;
  readonly #isGood: boolean;

  /** @param text Absent for an answer that cannot be read. @param isGood Whether it says that the request was right. */
  constructor(exchange: ObservedExchange, text: Collected | undefined, isGood: boolean) {
    this.#exchange = exchange;
    this.#text = text;
    this.#isGood = isGood;
  }

  add(chunk: Buffer): void {
    this.#text?.add(chunk);
  }

  end(): void {
    const text = this.#text?.take();
    if (text !== undefined) for (const message of splitBatch(text)) this.#exchange.recordAnswer(message);
    if (this.#isGood) this.#exchange.recordUnreadAnswer();
  }

  close(): void {
    this.#text?.take();
  }
}

/** Reads a stream of events. The filter reads; what it writes goes nowhere. */
class EventReader implements AnswerReader {
  readonly #filter: EventFilter;
  #isReading = true;

  constructor(exchange: ObservedExchange) {
    this.#filter = new EventFilter((message) => {
      exchange.recordAnswer(message);
      return undefined;
    }, MAX_BYTES);
    this.#filter.on("error", () => {
      // An event is too large to be read along.
      this.#isReading = false;
      exchange.recordUnreadAnswer();
    });
    this.#filter.resume();
  }

  add(chunk: Buffer): void {
    if (this.#isReading) this.#filter.write(chunk);
  }

  end(): void {
    // Each event was read when it was whole.
  }

  close(): void {
    this.#filter.destroy();
  }
}

/** @returns The messages of a body that are counted, with what is counted of them. */
function readMetered(body: Buffer): ClientMessage[] {
  return splitBatch(body).flatMap((text) => {
    const envelope = readEnvelope(text);
    if (envelope?.kind !== "request") return [];
    if (envelope.method !== INITIALIZE && !isMetered(envelope.method)) return [];
    return [{ envelope, params: readParams(text, envelope.params) }];
  });
}

function readParams(text: Buffer, span: Span | undefined): Readonly<Record<string, unknown>> {
  const [name, cursor, info, meta] = (span && findMembers(text, span.start, MEMBERS)?.spans) ?? [];
  return {
    name: readString(text, name),
    cursor: readString(text, cursor),
    clientInfo: readRecord(text, info),
    _meta: readRecord(text, meta),
  };
}

function readRecord(text: Buffer, span: Span | undefined): Readonly<Record<string, unknown>> | undefined {
  if (span === undefined || span.end - span.start > MAX_CLIENT_BYTES) return undefined;
  const value = parseJson(text.toString("utf8", span.start, span.end));
  return isRecord(value) ? value : undefined;
}

function splitBatch(text: Buffer): Buffer[] {
  const elements = findElements(text, skipSpace(text, 0), MAX_BATCH);
  return elements === undefined ? [text] : elements.map(({ start, end }) => text.subarray(start, end));
}
