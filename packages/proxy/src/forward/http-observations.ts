/**
 * Matches each observed message with its answer where a server speaks HTTP itself: on the same exchange, or, over
 * HTTP with SSE, on the stream that named the address for posting.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { readHeader, SESSION_HEADER } from "../http/http-exchange.ts";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { isInitialize, readClientName } from "../messages/initialize-message.ts";
import { readEnvelope } from "../messages/json-rpc.ts";
import { META } from "../messages/meta-keys.ts";
import { beginsWithResult, type Observation, type Observer, readOutcome } from "../observe/observer.ts";

/** Messages that wait for their answer; the oldest one is given up. */
const MAX_PENDING = 4_096;
/** Sessions whose client is known; the oldest one is forgotten. */
const MAX_NAMED_SESSIONS = 4_096;

const NOTHING = Buffer.alloc(0);
/** The envelope of a call of which nothing else was read. */
const CALL = { kind: "request", method: "tools/call", id: undefined, params: undefined, result: undefined } as const;

export interface ObservedExchange {
  /** Whether messages of this exchange wait for their answers on it. */
  readonly isAwaiting: boolean;
  /** A message of the client that is no answer. @param isRefused Whether it was refused and not forwarded. */
  recordMessage(message: ClientMessage, isRefused: boolean): void;
  /** A message of the server, as sent to the client. */
  recordAnswer(message: Buffer): void;
  /** The only request of the exchange, a call of a tool, without anything else of it. @returns False: its id has to be read. */
  recordCall(tool: string): boolean;
  /** The answer has passed as a whole, although it could not be read. */
  recordUnreadAnswer(): void;
  /** The exchange is a stream that names this address for posting. */
  recordPostAddress(address: string): void;
  /** The client has received the id of a session. */
  recordSession(id: string): void;
}

export class HttpObservations {
  readonly #observer: Observer;
  readonly #pending = new Map<string, Observation>();
  /** Addresses whose answers arrive on another exchange. */
  readonly #announced = new Set<string>();
  /** What clients call themselves, by the id of the session or the address for posting. */
  readonly #clients = new Map<string, string>();
  #exchanges = 0;

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  /** Observes a call that the endpoint itself answers. */
  observe(caller: Caller, message: ClientMessage): Observation {
    return this.#observer.begin(caller, message);
  }

  begin(request: IncomingMessage, response: ServerResponse, caller: Caller): ObservedExchange {
    this.#exchanges += 1;
    const url = request.url ?? "";
    let scope = this.#announced.has(url) ? url : `#${this.#exchanges}`;
    let isOwn = scope !== url;
    /** Keys of what this exchange waits for itself. */
    let awaited: Set<string> | undefined;
    let client = this.#clients.get(readHeader(request, SESSION_HEADER) ?? url);
    response.once("close", () => {
      for (const key of awaited ?? []) this.#end(key, "error");
      if (isOwn && this.#announced.has(scope)) this.#giveUp(scope);
    });
    return {
      get isAwaiting() {
        return awaited !== undefined && awaited.size > 0;
      },
      recordMessage: (message, isRefused) => {
        const { id, kind, text } = message.envelope;
        if (isInitialize(message)) {
          client = readClientName(message.params.clientInfo);
          if (!isOwn) this.#nameClient(url, client);
        }
        const observation = this.#observer.begin(caller, message, client ?? readModernName(message));
        if (isRefused || kind === "notification" || id === undefined) {
          observation.end({ outcome: isRefused ? "denied" : "success", response: undefined });
          return;
        }
        const key = joinKey(scope, text.toString("utf8", id.start, id.end));
        if (isOwn) {
          awaited ??= new Set();
          awaited.add(key);
        }
        this.#remember(key, observation);
      },
      recordCall: (tool) => {
        if (!isOwn) return false;
        const key = joinKey(scope, "");
        awaited = new Set([key]);
        const envelope = { ...CALL, text: NOTHING };
        this.#remember(key, this.#observer.begin(caller, { envelope, params: { name: tool } }, client));
        return true;
      },
      recordAnswer: (message) => {
        // The answer to the only request: nothing else of it has to be read.
        const [only, more] = awaited ?? [];
        if (only !== undefined && more === undefined && beginsWithResult(message)) {
          awaited = undefined;
          this.#pending.get(only)?.end({ outcome: "success", response: message });
          this.#pending.delete(only);
          return;
        }
        const envelope = readEnvelope(message);
        if (envelope?.kind !== "response" || envelope.id === undefined) return;
        const id = message.toString("utf8", envelope.id.start, envelope.id.end);
        const key = only === joinKey(scope, "") ? only : joinKey(scope, id);
        awaited?.delete(key);
        const outcome = envelope.result === undefined ? readOutcome(message) : "success";
        this.#pending.get(key)?.end({ outcome, response: message });
        this.#pending.delete(key);
      },
      recordUnreadAnswer: () => {
        for (const key of awaited ?? []) this.#end(key, "success");
        awaited = undefined;
      },
      recordPostAddress: (address) => {
        const { pathname, search } = new URL(address, "http://localhost/sse");
        scope = pathname + search;
        isOwn = true;
        this.#announced.add(scope);
      },
      recordSession: (id) => this.#nameClient(id, client),
    };
  }

  #nameClient(session: string, name: string | undefined): void {
    if (name === undefined) return;
    this.#clients.set(session, name);
    if (this.#clients.size <= MAX_NAMED_SESSIONS) return;
    const [oldest] = this.#clients.keys();
    if (oldest !== undefined) this.#clients.delete(oldest);
  }

  #remember(key: string, observation: Observation): void {
    this.#pending.set(key, observation);
    if (this.#pending.size <= MAX_PENDING) return;
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined) this.#end(oldest, "error");
  }

  #giveUp(scope: string): void {
    this.#announced.delete(scope);
    this.#clients.delete(scope);
    const prefix = joinKey(scope, "");
    for (const key of [...this.#pending.keys()]) if (key.startsWith(prefix)) this.#end(key, "error");
  }

  /** There will be no answer that can be read: the client or the server left, for example. */
  #end(key: string, outcome: "success" | "error"): void {
    this.#pending.get(key)?.end({ outcome, response: undefined });
    this.#pending.delete(key);
  }
}

/** @returns `undefined` without an observer. */
export function openObservations(observer: Observer | undefined): HttpObservations | undefined {
  return observer && new HttpObservations(observer);
}

/** Of a client of 2026-07-28, which says in each request who it is. */
function readModernName({ params }: ClientMessage): string | undefined {
  const { _meta: meta } = params;
  return typeof meta === "object" && meta !== null
    ? readClientName((meta as Readonly<Record<string, unknown>>)[META.clientInfo])
    : undefined;
}

function joinKey(scope: string, id: string): string {
  return `${scope} ${id}`;
}
