/** One HTTP exchange of a bridge: what is sent, whether it has arrived, and the messages of the answer as they come. */
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { messageOf } from "@toolhive/core/errors";
import { createParser, type EventSourceMessage } from "eventsource-parser";

/** Bytes of a message; what the endpoints accept from their servers. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Bytes of a refusal that are read. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Nothing of the message has arrived: it may be sent again. */
export class NotDelivered extends Error {}

/** The server does not know the session any more, and has not taken the message. */
export class SessionLost extends Error {}

/** The server has answered with a status that stands for an error. */
export class RefusedMessage extends Error {
  /** Of the answer; may be an error of the protocol. */
  readonly body: string;

  constructor(status: number, body: string) {
    super(`The server answered with status ${status}.`);
    this.body = body;
  }
}

interface Exchange {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Has no deadline of its own: a call may take as long as it takes. @throws {NotDelivered} When nobody listens. */
export function exchange(url: URL, { method, headers, body, signal }: Exchange): Promise<IncomingMessage> {
  const isSecure = url.protocol === "https:";
  return new Promise((resolve, reject) => {
    let isConnected = false;
    // A connection of its own: on one that was used before, a loss would not tell whether the message has arrived.
    const request = (isSecure ? requestHttps : requestHttp)(url, { method, headers, signal, agent: false }, resolve);
    request.on("socket", (socket) => {
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        isConnected = true;
      });
    });
    request.on("error", (error) => {
      reject(isConnected ? error : new NotDelivered(messageOf(error), { cause: error }));
    });
    request.end(body);
  });
}

/** @throws {SessionLost | RefusedMessage} For a status that stands for an error. */
export async function assertAccepted(response: IncomingMessage, hasSession: boolean): Promise<void> {
  const { statusCode: status = 0 } = response;
  if (status < 400) return;
  const body = await readText(response, MAX_REFUSAL_BYTES);
  if (status === 404 && hasSession) throw new SessionLost("The server does not know the session any more.");
  throw new RefusedMessage(status, body);
}

export function isEventStream({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.startsWith("text/event-stream") === true;
}

/** Ends with the stream. */
export async function* readEvents(response: IncomingMessage): AsyncGenerator<EventSourceMessage> {
  let events: EventSourceMessage[] = [];
  let failure: Error | undefined;
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") failure = error;
    },
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  const decoder = new TextDecoder();
  for await (const chunk of response) {
    parser.feed(decoder.decode(chunk as Buffer, { stream: true }));
    const complete = events;
    events = [];
    yield* complete;
    if (failure) throw failure;
  }
}

/** @throws {Error} For a longer one. */
export async function readText(response: IncomingMessage, maxBytes = MAX_MESSAGE_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length > maxBytes) throw new Error(`The server's answer is longer than ${maxBytes} bytes.`);
  }
  return Buffer.concat(chunks).toString("utf8");
}
