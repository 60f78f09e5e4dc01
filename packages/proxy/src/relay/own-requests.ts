/** Requests that the endpoint itself sends to the server: the handshake's, subscriptions, the health probe. */
import { ThvError } from "@toolhive/core/errors";
import { type Envelope, readEnvelope } from "../messages/json-rpc.ts";
import { PING } from "../messages/methods.ts";
import type { Limits } from "../options/limits.ts";
import type { PendingRequest, PendingRequests } from "../sessions/pending-requests.ts";
import { createReply, type Reply } from "../sessions/reply.ts";

export interface OwnRequestsOptions {
  readonly limits: Limits;
  readonly now: () => number;
  readonly pending: PendingRequests;
  /** Writes a registered request to the server; its reply gets an answer in every case. */
  readonly send: (request: PendingRequest) => void;
}

export class OwnRequests {
  readonly #options: OwnRequestsOptions;
  #answersPings = false;
  #isPinged = false;

  constructor(options: OwnRequestsOptions) {
    this.#options = options;
  }

  send(envelope: Envelope, reply: Reply, timeoutMs: number): PendingRequest | undefined {
    const { pending, now, send } = this.#options;
    const request = pending.add(envelope, {
      session: undefined,
      reply,
      deadlineAt: now() + timeoutMs,
      progressToken: undefined,
      isTask: false,
      uri: undefined,
    });
    if (request !== undefined) send(request);
    return request;
  }

  /** Sends a request and ignores its answer. */
  sendUnawaited(method: string, params: Readonly<Record<string, unknown>>): void {
    this.send(createOwnRequest(method, params), createReply(), this.#options.limits.requestMs);
  }

  /**
   * A process is connected.
   *
   * @param answersPings Whether to rely on its answers to pings from the beginning.
   */
  connect({ answersPings }: { readonly answersPings: boolean }): void {
    this.#answersPings = answersPings;
    this.#isPinged = false;
  }

  /** Whether the process has answered a ping. Some servers never do, and work: their silence means nothing. */
  get answersPings(): boolean {
    return this.#answersPings;
  }

  /** Sends a ping to find out whether the process answers pings, unless one is open. */
  tryPing(): void {
    if (this.#isPinged) return;
    this.#isPinged = true;
    const reply: Reply = {
      ...createReply(() => {
        this.#answersPings = true;
      }),
      failUnanswered: () => {
        this.#isPinged = false;
      },
    };
    this.send(createOwnRequest(PING), reply, this.#options.limits.initializeMs);
  }

  /** One round trip to the server. @returns Milliseconds. @throws {ThvError} `SERVER_NOT_READY`. */
  probe(signal: AbortSignal): Promise<number> {
    const { pending, limits, now } = this.#options;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const startedAt = now();
      let request: PendingRequest | undefined;
      const abort = (): void => {
        if (request !== undefined) pending.remove(request);
        reject(signal.reason);
      };
      const reply: Reply = {
        // An error is an answer too: some servers know no ping.
        ...createReply(() => {
          signal.removeEventListener("abort", abort);
          resolve(now() - startedAt);
        }),
        failUnanswered: (message) => {
          signal.removeEventListener("abort", abort);
          reject(new ThvError("SERVER_NOT_READY", message));
        },
      };
      signal.addEventListener("abort", abort, { once: true });
      request = this.send(createOwnRequest(PING), reply, limits.requestMs);
    });
  }
}

/** Its id is replaced like any other. */
function createOwnRequest(method: string, params: Readonly<Record<string, unknown>> = {}): Envelope {
  const envelope = readEnvelope(Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 0, method, params })));
  if (envelope === undefined) throw new Error(`not a request: ${method}`);
  return envelope;
}
