/** Forwards an answer that is read as a whole: each of its messages may be changed, or the answer replaced. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { describeError } from "@toolhive/core/errors";
import { decodeAnswer } from "@toolhive/http/decode-answer";
import { readUtf8 } from "../http/answer-encoding.ts";
import { readMediaType, SESSION_HEADER } from "../http/http-exchange.ts";
import { findElements, skipSpace } from "../messages/json-scanner.ts";
import { readHeaders } from "./forwarded-headers.ts";
import type { ForwardOptions } from "./http-forward.ts";

/** Answers with 502, or cuts a response that has begun. */
export type Refuse = (reason: string) => void;

export interface RelayOptions extends ForwardOptions {
  readonly refuse: Refuse;
}

/** Forwards an answer that is one JSON text after parsing it. */
export async function relayJsonAnswer(
  answer: IncomingMessage,
  incoming: IncomingMessage,
  response: ServerResponse,
  {
    change,
    maxMessageBytes,
    log,
    refuse,
    ...options
  }: RelayOptions & { readonly change: (message: Buffer) => Buffer | undefined },
): Promise<void> {
  const { "content-encoding": _, ...headers } = readHeaders(answer, options);
  const isJson = readMediaType(answer) === "application/json";
  const status = answer.statusCode ?? 502;
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of decodeAnswer(answer) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxMessageBytes) break;
    }
    // An error page holds no list; any other answer that cannot be parsed might.
    const isReadable = bytes === 0 || isJson || status >= 400;
    if (status === 202) {
      // The body only repeats "accepted"; the status is enough.
      response.writeHead(202, { "content-length": 0 }).end();
      return;
    }
    if (!isReadable || bytes > maxMessageBytes) {
      refuseAnswer(answer, refuse);
      return;
    }
    const sent = Buffer.concat(chunks, bytes);
    const read = isJson ? readUtf8(sent) : sent;
    if (read === undefined) {
      refuseAnswer(answer, refuse);
      return;
    }
    const handed = options.remote?.handOver(read);
    const body = isJson ? changeEach(handed?.text ?? read, change) : read;
    if (response.headersSent) return;
    if (handed !== undefined) {
      Object.assign(headers, handed.headers);
      options.sessionOwners?.recordSession({ statusCode: 200, headers: handed.headers });
      reportSession(handed.headers, options);
    }
    response.writeHead(handed ? 200 : status, { ...headers, "content-length": body.length }).end(body);
  } catch (error) {
    // The server or the client closed the connection during the answer.
    log.debug({ error: describeError(error), path: incoming.url }, "exchange ended early");
    refuseAnswer(answer, refuse);
  }
}

/** @param headers As the client gets them. */
export function reportSession(headers: OutgoingHttpHeaders, { along }: Pick<ForwardOptions, "along">): void {
  const id = headers[SESSION_HEADER];
  if (typeof id === "string") along?.recordSession(id);
}

/** A batch of answers is an array of messages. */
function changeEach(text: Buffer, change: (message: Buffer) => Buffer | undefined): Buffer {
  const elements = findElements(text, skipSpace(text, 0));
  if (elements === undefined) return change(text) ?? Buffer.alloc(0);
  const parts = elements.flatMap(({ start, end }) => change(text.subarray(start, end))?.toString("utf8") ?? []);
  return Buffer.from(`[${parts.join(",")}]`);
}

export function refuseAnswer(answer: IncomingMessage, refuse: Refuse): void {
  answer.destroy();
  refuse("The server's answer cannot be read, so it is not forwarded.");
}
