/**
 * Matches each observed message with its answer where a server speaks HTTP itself: on the same exchange, or, over
 * HTTP with SSE, on the stream that named the address for posting.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ClientMessage } from "../messages/client-message.ts";
import { readEnvelope } from "../messages/json-rpc.ts";
import { type Observation, readOutcome } from "../observe/observer.ts";

/** Messages that wait for their answer; the oldest one is given up. */
const MAX_PENDING = 4_096;

export interface ObservedExchange {
  /** A message of the client. @param isRefused Whether it was refused and not forwarded. */
  recordMessage(message: ClientMessage, observation: Observation, isRefused: boolean): void;
  /** A message of the server, as sent to the client. */
  recordAnswer(message: Buffer): void;
  /** The exchange is a stream that names this address for posting. */
  recordPostAddress(address: string): void;
}

export class HttpObservations {
  readonly #pending = new Map<string, Observation>();
  /** Addresses whose answers arrive on another exchange. */
  readonly #announced = new Set<string>();
  #exchanges = 0;

  begin(request: IncomingMessage, response: ServerResponse): ObservedExchange {
    this.#exchanges += 1;
    const url = request.url ?? "";
    let scope = this.#announced.has(url) ? url : `#${this.#exchanges}`;
    let isOwn = scope !== url;
    response.once("close", () => {
      if (isOwn) this.#giveUp(scope);
    });
    return {
      recordMessage: (message, observation, isRefused) => {
        const { id, kind, text } = message.envelope;
        if (isRefused || kind === "notification" || id === undefined) {
          observation.end({ outcome: isRefused ? "denied" : "success", response: undefined });
        } else this.#remember(joinKey(scope, text.toString("utf8", id.start, id.end)), observation);
      },
      recordAnswer: (message) => {
        const envelope = readEnvelope(message);
        if (envelope?.kind !== "response" || envelope.id === undefined) return;
        const key = joinKey(scope, message.toString("utf8", envelope.id.start, envelope.id.end));
        this.#pending.get(key)?.end({ outcome: readOutcome(message), response: message });
        this.#pending.delete(key);
      },
      recordPostAddress: (address) => {
        const { pathname, search } = new URL(address, "http://localhost/sse");
        scope = pathname + search;
        isOwn = true;
        this.#announced.add(scope);
      },
    };
  }

  #remember(key: string, observation: Observation): void {
    this.#pending.set(key, observation);
    if (this.#pending.size <= MAX_PENDING) return;
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined) this.#end(oldest);
  }

  #giveUp(scope: string): void {
    this.#announced.delete(scope);
    const prefix = joinKey(scope, "");
    for (const key of [...this.#pending.keys()]) if (key.startsWith(prefix)) this.#end(key);
  }

  /** The client or the server left before there was an answer. */
  #end(key: string): void {
    this.#pending.get(key)?.end({ outcome: "error", response: undefined });
    this.#pending.delete(key);
  }
}

function joinKey(scope: string, id: string): string {
  return `${scope} ${id}`;
}
