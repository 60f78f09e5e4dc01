/**
 * Matches each observed message with its answer where a server speaks HTTP itself: on the same exchange, or, over
 * HTTP with SSE, on the stream that named the address for posting.
 */
import type { IncomingMessage } from "node:http";
import { readHeader, SESSION_HEADER } from "../http/http-exchange.ts";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { isInitialize, readClientName } from "../messages/initialize-message.ts";
import { type Envelope, readEnvelope } from "../messages/json-rpc.ts";
import { META } from "../messages/meta-keys.ts";
import { beginsWithResult, type Ending, type Observation, type Observer, readOutcome } from "../observe/observer.ts";

/** Messages that wait for their answer; the oldest one is given up. */
const MAX_PENDING = 4_096;
/** Sessions whose client is known; the oldest one is forgotten. */
const MAX_NAMED_SESSIONS = 4_096;

const NOTHING = Buffer.alloc(0);
/** The envelope of a call of which nothing else was read. */
const NO_SPANS = { id: undefined, params: undefined, result: undefined };
const CALL: Envelope = { kind: "request", method: "tools/call", text: NOTHING, ...NO_SPANS };
/** There will be no answer that can be read: the client or the server left, for example. */
const UNANSWERED: Ending = { outcome: "error", response: undefined };

export class HttpObservations {
  readonly #observer: Observer;
  /** Of messages whose answers arrive on another exchange, by the address that they were posted to and their ids. */
  readonly #pending = new Map<string, Observation>();
  /** Addresses whose answers arrive on another exchange. */
  readonly #announced = new Set<string>();
  /** What clients call themselves, by the id of the session or the address for posting. */
  readonly #clients = new Map<string, string>();

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  /** Observes a call that the endpoint itself answers. */
  observe(caller: Caller, message: ClientMessage): Observation {
    return this.#observer.begin(caller, message);
  }

  /** @param request Of a client. `close` has to be called when its exchange is over. */
  begin(request: IncomingMessage, caller: Caller): ObservedExchange {
    return new ObservedExchange(this, this.#observer, request, caller);
  }

  isAnnounced(address: string): boolean {
    return this.#announced.has(address);
  }

  announce(address: string): void {
    this.#announced.add(address);
  }

  findClient(key: string): string | undefined {
    return this.#clients.get(key);
  }

  nameClient(session: string, name: string | undefined): void {
    if (name === undefined) return;
    this.#clients.set(session, name);
    if (this.#clients.size <= MAX_NAMED_SESSIONS) return;
    const [oldest] = this.#clients.keys();
    if (oldest !== undefined) this.#clients.delete(oldest);
  }

  remember(address: string, id: string, observation: Observation): void {
    this.#pending.set(joinKey(address, id), observation);
    if (this.#pending.size <= MAX_PENDING) return;
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined) this.#takeKey(oldest)?.end(UNANSWERED);
  }

  take(address: string, id: string): Observation | undefined {
    return this.#takeKey(joinKey(address, id));
  }

  giveUp(address: string): void {
    this.#announced.delete(address);
    this.#clients.delete(address);
    const prefix = joinKey(address, "");
    for (const key of [...this.#pending.keys()]) if (key.startsWith(prefix)) this.#takeKey(key)?.end(UNANSWERED);
  }

  #takeKey(key: string): Observation | undefined {
    const found = this.#pending.get(key);
    this.#pending.delete(key);
    return found;
  }
}

export class ObservedExchange {
  readonly #all: HttpObservations;
  readonly #observer: Observer;
  readonly #url: string;
  readonly #caller: Caller;
  /** Whether the answers to what it brings arrive on another exchange. */
  readonly #isElsewhere: boolean;
  /** The address for posting that this exchange, a stream, has named. */
  #address: string | undefined;
  #client: string | undefined;
  /** The message whose answer it waits for; most exchanges have one. */
  #first: Observation | undefined;
  /** Raw id of that; `undefined`: it is the only one, and any answer is its own. */
  #firstId: string | undefined;
  /** Further ones by their raw ids. */
  #others: Map<string, Observation> | undefined;

  constructor(all: HttpObservations, observer: Observer, request: IncomingMessage, caller: Caller) {
    this.#all = all;
    this.#observer = observer;
    this.#url = request.url ?? "";
    this.#caller = caller;
    this.#isElsewhere = all.isAnnounced(this.#url);
    this.#client = all.findClient(readHeader(request, SESSION_HEADER) ?? this.#url);
  }

  /** Whether messages of this exchange wait for their answers on it. */
  get isAwaiting(): boolean {
    return this.#first !== undefined || (this.#others !== undefined && this.#others.size > 0);
  }

  /** Whether it is known what the client calls itself. */
  get isNamed(): boolean {
    return this.#client !== undefined;
  }

  /** A message of the client that is no answer. @param isRefused Whether it was refused and not forwarded. */
  recordMessage(message: ClientMessage, isRefused: boolean): void {
    const { id, kind, text } = message.envelope;
    if (isInitialize(message)) {
      this.#client = readClientName(message.params.clientInfo);
      if (this.#isElsewhere) this.#all.nameClient(this.#url, this.#client);
    }
    const observation = this.#observer.begin(this.#caller, message, this.#client ?? readModernName(message));
    if (isRefused || kind === "notification" || id === undefined) {
      observation.end({ outcome: isRefused ? "denied" : "success", response: undefined });
      return;
    }
    const key = text.toString("utf8", id.start, id.end);
    if (this.#isElsewhere) this.#all.remember(this.#url, key, observation);
    else if (this.#first === undefined) {
      this.#first = observation;
      this.#firstId = key;
    } else {
      this.#others ??= new Map();
      this.#others.set(key, observation);
    }
  }

  /** The only request of the exchange, a call of a tool, without anything else of it. @returns False: its id has to be read. */
  recordCall(tool: string): boolean {
    if (this.#isElsewhere) return false;
    this.#first = this.#observer.begin(this.#caller, { envelope: CALL, params: { name: tool } }, this.#client);
    this.#firstId = undefined;
    return true;
  }

  /** A message of the server, as sent to the client. */
  recordAnswer(message: Buffer): void {
    // The answer to the only request: nothing else of it has to be read.
    if (this.#first !== undefined && this.#others === undefined && beginsWithResult(message)) {
      this.#takeFirst()?.end({ outcome: "success", response: message });
      return;
    }
    if (!this.isAwaiting && this.#address === undefined) return;
    const envelope = readEnvelope(message);
    if (envelope?.kind !== "response" || envelope.id === undefined) return;
    const observation = this.#take(message.toString("utf8", envelope.id.start, envelope.id.end));
    const outcome = envelope.result === undefined ? readOutcome(message) : "success";
    observation?.end({ outcome, response: message });
  }

  /** The answer has passed as a whole, although it could not be read. */
  recordUnreadAnswer(): void {
    this.#endAll("success");
  }

  /** The exchange is a stream that names this address for posting. */
  recordPostAddress(address: string): void {
    const { pathname, search } = new URL(address, "http://localhost/sse");
    this.#address = pathname + search;
    this.#all.announce(this.#address);
  }

  /** The client has received the id of a session. */
  recordSession(id: string): void {
    this.#all.nameClient(id, this.#client);
  }

  /** The exchange is over: there will be no answer that can be read. */
  close(): void {
    this.#endAll("error");
    if (this.#address !== undefined && this.#all.isAnnounced(this.#address)) this.#all.giveUp(this.#address);
  }

  #takeFirst(): Observation | undefined {
    const found = this.#first;
    this.#first = undefined;
    this.#firstId = undefined;
    return found;
  }

  #take(id: string): Observation | undefined {
    if (this.#first !== undefined && (this.#firstId === undefined || this.#firstId === id)) return this.#takeFirst();
    const found = this.#others?.get(id);
    this.#others?.delete(id);
    return found ?? (this.#address === undefined ? undefined : this.#all.take(this.#address, id));
  }

  #endAll(outcome: "success" | "error"): void {
    const ending: Ending = outcome === "error" ? UNANSWERED : { outcome, response: undefined };
    this.#takeFirst()?.end(ending);
    if (this.#others === undefined) return;
    for (const observation of this.#others.values()) observation.end(ending);
    this.#others = undefined;
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
