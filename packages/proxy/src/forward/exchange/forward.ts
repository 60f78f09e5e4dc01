/**
 * Forwards one HTTP exchange to a server that speaks HTTP itself, byte for byte and without delay.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpConnection, Logger } from "@toolhive/core";
import { collectBody } from "@toolhive/http";
import type { Dispatcher } from "undici";
import type { EventFilter } from "../../http/event-filter.ts";
import { HttpRefusal } from "../../http/http-exchange.ts";
import { RPC_ERRORS } from "../../messages/json-rpc.ts";
import type { AnswerHead } from "../answer/server-answer.ts";
import type { RemoteExchange } from "../remote/exchange.ts";
import { Redirects } from "../remote/redirects.ts";
import { Attempt } from "./attempt.ts";

/** Where one request goes, to a server with replicas. */
export interface Route {
  readonly address: string;
  /** The server's own id of the session; absent when the request has none. */
  readonly sessionId?: string;
  /** The server's own address for posting, over HTTP with SSE. */
  readonly url?: string;
}

/** What all exchanges of an endpoint have in common. */
export interface ForwardSettings {
  readonly maxBodyBytes: number;
  /** Bytes of one message of the answer, where messages are parsed. */
  readonly maxMessageBytes: number;
  /** Milliseconds for a connection to the server. */
  readonly connectMs: number;
  /** Exchanges to end, with a reason, once the endpoint gives up on the server. */
  readonly open: Set<{ end(reason: string): void }>;
  /** Whether the server receives the `Authorization` header. False when the token was issued for this endpoint. */
  readonly keepsAuthorization: boolean;
  readonly log: Logger;
}

/** One exchange, and what the endpoint wants to know and to change of it. */
export interface ForwardedExchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly settings: ForwardSettings;
  readonly target: HttpConnection;
  readonly client: Dispatcher;
  /** The body, when it was read already; sent instead of the request's stream. */
  readonly body: Buffer | undefined;
  /** The name of the tool in the body, when it is not the client's own. */
  readonly called: string | undefined;
  /** Whether the messages of the answer are read: then one that cannot be parsed is not forwarded. */
  readonly isRead: boolean;
  /** Whether an answer that no client takes for messages is forwarded as it is, where messages are read. */
  readonly passesUnread: boolean;
  /** Whether event streams begin with an address that has to be rewritten. */
  readonly hasEndpointEvent: boolean;
  /** Reads along what passes unread. */
  readonly along: ReadAlong | undefined;
  /** Present for a remote server. */
  readonly remote: RemoteExchange | undefined;
  /** Present where the server has replicas. */
  readonly route: Route | undefined;
  /** Gives the client's id for the server's own. Present where the server has replicas. */
  readonly sealId: ((own: string) => string) | undefined;
  /** Gives the client's address for posting for the server's own. Present where the server has replicas. */
  readonly sealPostAddress: ((own: string) => string) | undefined;
  /** Changes a message of the answer, or leaves it out. */
  change(message: Buffer): Buffer | undefined;
  /** The answer is an event stream. @param filter Present where its messages are read. */
  recordStream(filter: EventFilter | undefined): void;
  /** The server's answer may open a session. */
  recordSession(answer: AnswerHead): void;
  /** An event stream names this address for posting. */
  recordPostAddress(address: string): void;
}

/** Sees one exchange, and changes nothing of it. */
export interface ReadAlong {
  /** The client receives the id of a session. */
  recordSession(id: string): void;
  /** Gets each chunk of a body that was not read before, and nothing at its end. */
  addToBody(chunk: Buffer | undefined): void;
  /** Gets each message of an answer that is read otherwise, and not changed. */
  recordAnswer(message: Buffer): void;
  /** An answer is about to be forwarded whose messages nobody reads. @returns Who gets its body; `undefined`: nobody wants it. */
  readAnswer(answer: AnswerHead, isStream: boolean): AnswerReader | undefined;
}

/** Gets the body of an answer as the client gets it. */
export interface AnswerReader {
  add(chunk: Buffer): void;
  /** The body is whole. */
  end(): void;
  /** Nothing more comes. Called after `end`, too. */
  close(): void;
}

/**
 * Listeners of one kind on one response, above which Node warns of a leak. `pipeline` alone adds seven that wait for its
 * close; the listener, the gate, the exchange and its attempt one each. All of them go with the response.
 */
const MAX_LISTENERS = 20;
/** Bytes of a body that is sent in one piece: it is here as soon as it could be forwarded. */
const ONE_PIECE_BYTES = 64 * 1024;

/** Settles when the exchange is over. @throws {HttpRefusal} 413, 502 when there is no token for the server. */
export async function forward(exchange: ForwardedExchange): Promise<void> {
  const { incoming, response, settings, remote } = exchange;
  const { maxBodyBytes } = settings;
  const announced = Number(incoming.headers["content-length"] ?? 0);
  if (announced > maxBodyBytes) {
    throw new HttpRefusal(413, RPC_ERRORS.INVALID_REQUEST, `The body is larger than ${maxBodyBytes} bytes.`);
  }
  response.setMaxListeners(MAX_LISTENERS);
  const body = exchange.body ?? (isShort(incoming, announced) ? await readShort(exchange, announced) : undefined);
  if (response.destroyed) return;
  if (remote === undefined) {
    const { target, route } = exchange;
    const path = route?.url ?? incoming.url ?? "/";
    const redirects = new Redirects(incoming, { server: formatAuthority(target), path, body });
    let isAgain = await send(exchange, { path, body, redirects });
    while (isAgain) isAgain = await send(exchange, { path: redirects.path, body: redirects.body, redirects });
    return;
  }
  do {
    if (!remote.isOpen) {
      await remote.authorize().catch((error: unknown) => {
        throw remote.refuse(error);
      });
    }
    if (response.destroyed) return;
  } while (await send(exchange, { path: remote.path, body, redirects: undefined }));
}

/** What is sent, and where. */
export interface Sending {
  readonly path: string;
  /** Absent while the request brings it. */
  readonly body: Buffer | undefined;
  /** Present for a server of this machine. */
  readonly redirects: Redirects | undefined;
}

/** @returns Whether the request has to be sent once more. */
function send(exchange: ForwardedExchange, sending: Sending): Promise<boolean> {
  return new Promise((resolve, reject) => {
    new Attempt(exchange, sending, { resolve, reject }).send();
  });
}

function isShort({ headers }: IncomingMessage, announced: number): boolean {
  return announced > 0 && announced <= ONE_PIECE_BYTES && headers["transfer-encoding"] === undefined;
}

/** @returns `undefined` when it has not come. */
function readShort({ incoming, along }: ForwardedExchange, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    collectBody(incoming, maxBytes, {
      onBody: (body) => {
        along?.addToBody(body);
        along?.addToBody(undefined);
        resolve(body);
      },
      onFailure: () => resolve(undefined),
    });
  });
}

/** The request's own stream belongs to the client's connection, which has to stay for the answer. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

export function formatAuthority({ host, port }: HttpConnection): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
