/**
 * Reads along what passes unread, so that it can be counted: bytes are forwarded as they come, whatever is found in them, and what is
 * too large is counted without a name.
 */
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { isRecord, parseJson } from "@toolhive/http/values";
import { EventFilter } from "../http/event-filter.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { readEnvelope, readString } from "../messages/json-rpc.ts";
import { findElements, findMembers, type Span, skipSpace } from "../messages/json-scanner.ts";
import { INITIALIZE } from "../messages/methods.ts";
import { isMetered } from "../observe/usage-meter.ts";
import type { ForwardOptions } from "./http-forward.ts";
import type { ObservedExchange } from "./http-observations.ts";

/** Bytes of one body or answer, and of all that are read along at a time. */
const MAX_BYTES = 1024 * 1024;
const MAX_BYTES_OF_ALL = 16 * 1024 * 1024;
/** Bytes of what a client says about itself. */
const MAX_CLIENT_BYTES = 16 * 1024;
const MAX_BATCH = 100;
const MEMBERS = ["name", "cursor", "clientInfo", "_meta"] as const;

export class UnreadMessages {
  #bytes = 0;

  /** @returns Options of an exchange that is forwarded. */
  follow(exchange: ObservedExchange): Pick<ForwardOptions, "onSession" | "onBody" | "onMessage" | "onUnread"> {
    return {
      onSession: (id) => exchange.recordSession(id),
      onBody: this.#readBody(exchange),
      onMessage: (message) => exchange.recordAnswer(message),
      onUnread: (answer, body, isStream) => this.#readAnswer(answer, body, exchange, isStream),
    };
  }

  /** @returns Gets each chunk of the body, and nothing at its end. */
  #readBody(exchange: ObservedExchange): (chunk: Buffer | undefined) => void {
    return this.#collect((body) => {
      for (const message of readMetered(body)) exchange.recordMessage(message, false);
    });
  }

  /** @param body What the client gets of the answer. @param isStream Whether it is a stream of events. */
  #readAnswer(answer: IncomingMessage, body: Readable, exchange: ObservedExchange, isStream: boolean): void {
    if (isStream) {
      readEvents(body, exchange);
      return;
    }
    if (!exchange.isAwaiting) return;
    const isPlain = answer.headers["content-encoding"] === undefined;
    const add = this.#collect((text) => {
      if (!isPlain) return;
      for (const message of splitBatch(text)) exchange.recordAnswer(message);
    });
    body.on("data", add);
    body.once("end", () => {
      add(undefined);
      if ((answer.statusCode ?? 502) < 400) exchange.recordUnreadAnswer();
    });
    body.once("close", () => add(undefined));
  }

  /** @param use Called once with all bytes, unless there are too many. */
  #collect(use: (text: Buffer) => void): (chunk: Buffer | undefined) => void {
    let chunks: Buffer[] | undefined = [];
    let bytes = 0;
    const end = (): void => {
      chunks = undefined;
      this.#bytes -= bytes;
      bytes = 0;
    };
    return (chunk) => {
      if (chunks === undefined) return;
      if (chunk === undefined) {
        const [only] = chunks;
        const text = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, bytes);
        end();
        use(text);
        return;
      }
      bytes += chunk.length;
      this.#bytes += chunk.length;
      if (bytes > MAX_BYTES || this.#bytes > MAX_BYTES_OF_ALL) end();
      else chunks.push(chunk);
    };
  }
}

/** The filter reads; what it writes goes nowhere. */
function readEvents(body: Readable, exchange: ObservedExchange): void {
  const reader = new EventFilter((message) => {
    exchange.recordAnswer(message);
    return undefined;
  }, MAX_BYTES);
  let isReading = true;
  reader.on("error", () => {
    // An event is too large to be read along.
    isReading = false;
    exchange.recordUnreadAnswer();
  });
  reader.resume();
  body.on("data", (chunk: Buffer) => {
    if (isReading) reader.write(chunk);
  });
  body.once("close", () => reader.destroy());
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
