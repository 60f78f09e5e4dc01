/**
 * The one initialization of a server process that many sessions share: the first session's `initialize` goes to the
 * server, later ones are answered from its stored result, a new process is initialized with the same parameters.
 */
import type { ClientMessage } from "../messages/client-message.ts";
import { isSessionlessServer } from "../messages/error-code.ts";
import {
  copySpan,
  createErrorReply,
  createResultReply,
  type Envelope,
  RPC_ERRORS,
  readEnvelope,
} from "../messages/json-rpc.ts";
import { findMembers, splice } from "../messages/json-scanner.ts";
import { isSessionRevision } from "../messages/protocol-revisions.ts";
import type { Limits } from "../options/limits.ts";
import { createReply, type Reply, withReply } from "../sessions/reply.ts";

/** A client that waits for its `initialize` to be answered. */
interface Candidate {
  readonly message: ClientMessage;
  readonly reply: Reply;
  readonly deadlineAt: number;
}

type State =
  /** The server has not been initialized. */
  | { readonly kind: "none" | "running" }
  | { readonly kind: "ready"; readonly result: Buffer }
  /** The server knows no sessions (2026-07-28 only): requests go to it as they are. */
  | { readonly kind: "sessionless" };

export interface HandshakeOptions {
  readonly limits: Limits;
  readonly now: () => number;
  /** Sends a request to the server under a new id; the reply gets a response in every case. */
  readonly send: (envelope: Envelope, reply: Reply) => void;
  /** The server has answered: waiting requests are sent. @param again True when the endpoint repeated it on its own. */
  readonly onReady: (again: boolean) => void;
  /** A new process did not accept the parameters that the living sessions agreed on. */
  readonly onRefused: (reason: string) => void;
}

export class Handshake {
  readonly #options: HandshakeOptions;
  #state: State = { kind: "none" };
  #isConnected = false;
  #waiting: Candidate[] = [];
  /** The `initialize` request that worked last. */
  #accepted: Envelope | undefined;

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  /** Whether requests may go to the server. */
  get isReady(): boolean {
    return this.#state.kind === "ready" || this.#state.kind === "sessionless";
  }

  get isSessionless(): boolean {
    return this.#state.kind === "sessionless";
  }

  /** Raw JSON of what the server answered to `initialize`. */
  get result(): Buffer | undefined {
    return this.#state.kind === "ready" ? this.#state.result : undefined;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /**
   * A server process is connected.
   *
   * @param hasSessions Whether clients live on that expect the process to be initialized as the one before.
   * @param isSameProcess The process was initialized before and keeps its state.
   */
  connect({ hasSessions, isSameProcess }: { hasSessions: boolean; isSameProcess: boolean }): void {
    this.#isConnected = true;
    if (this.#state.kind === "ready" && isSameProcess) {
      this.#becomeReady(this.#state.result, false);
      return;
    }
    if (this.#state.kind === "sessionless") {
      // The same workload runs the same server; should it have changed, clients receive its errors.
      this.#becomeSessionless();
      return;
    }
    this.#state = { kind: "none" };
    if (hasSessions && this.#accepted !== undefined) this.#repeat(this.#accepted);
    else this.#startNext();
  }

  disconnect(): void {
    this.#isConnected = false;
    if (this.#state.kind === "running") this.#state = { kind: "none" };
  }

  initialize(message: ClientMessage, reply: Reply): void {
    const { now, limits } = this.#options;
    if (this.#state.kind === "ready" && this.#isConnected) {
      this.#answer(this.#state.result, message, reply);
      return;
    }
    if (this.#state.kind === "sessionless" && this.#isConnected) {
      this.#options.send(message.envelope, reply);
      return;
    }
    this.#waiting.push({ message, reply, deadlineAt: now() + limits.queueWaitMs });
    this.#startNext();
  }

  sweep(now: number): void {
    // While one handshake runs, its own deadline bounds the others' wait.
    if (this.#state.kind === "running") return;
    const expired = this.#waiting.filter(({ deadlineAt }) => deadlineAt <= now);
    if (expired.length === 0) return;
    this.#waiting = this.#waiting.filter(({ deadlineAt }) => deadlineAt > now);
    for (const candidate of expired) refuse(candidate, "No server is running.");
  }

  close(): void {
    for (const candidate of this.#waiting.splice(0)) refuse(candidate, "The endpoint is closing.");
  }

  /** Forwards the first waiting `initialize`; the others wait for its result. */
  #startNext(): void {
    if (!this.#isConnected || this.#state.kind !== "none") return;
    const candidate = this.#waiting.shift();
    if (candidate === undefined) return;
    const { message, reply } = candidate;
    const { envelope } = message;
    const respond = (response: Buffer): void => {
      const result = this.#settle(envelope, response);
      if (result === undefined && this.#isConnected && isSessionlessServer(response)) {
        this.#becomeSessionless();
      }
      reply.respond(response);
      if (result === undefined) this.#startNext();
      else this.#becomeReady(result, false);
    };
    this.#state = { kind: "running" };
    this.#options.send(envelope, withReply(reply, { respond }));
  }

  #repeat(envelope: Envelope): void {
    this.#state = { kind: "running" };
    const reply = createReply((response) => {
      const result = this.#settle(envelope, response);
      if (result !== undefined) {
        this.#becomeReady(result, true);
        return;
      }
      // If the process exited meanwhile, its missing answer proves nothing; the next process is tried the same way.
      if (this.#isConnected) this.#options.onRefused("the new server process did not accept the session");
      this.#startNext();
    });
    this.#options.send(envelope, reply);
  }

  #settle(envelope: Envelope, response: Buffer): Buffer | undefined {
    const answer = readEnvelope(response);
    this.#state = { kind: "none" };
    if (answer?.result === undefined || !this.#isConnected) return undefined;
    const result = copySpan(response, answer.result);
    this.#state = { kind: "ready", result };
    this.#accepted = envelope;
    return result;
  }

  #becomeReady(result: Buffer, again: boolean): void {
    this.#options.onReady(again);
    for (const { message, reply } of this.#waiting.splice(0)) this.#answer(result, message, reply);
  }

  /** Every waiting client gets the server's own error, which says that it has no sessions. */
  #becomeSessionless(): void {
    this.#state = { kind: "sessionless" };
    this.#options.onReady(false);
    for (const { message, reply } of this.#waiting.splice(0)) this.#options.send(message.envelope, reply);
  }

  /** Answers from the stored result; only the revision is the client's own, where it asked for one that exists. */
  #answer(result: Buffer, { envelope, params }: ClientMessage, reply: Reply): void {
    if (envelope.id === undefined) return;
    const wanted = params.protocolVersion;
    const revision = findMembers(result, 0, ["protocolVersion"])?.spans[0];
    const mine =
      typeof wanted === "string" && isSessionRevision(wanted) && revision !== undefined
        ? splice(result, [{ span: revision, bytes: Buffer.from(JSON.stringify(wanted)) }])
        : result;
    reply.respond(createResultReply(copySpan(envelope.text, envelope.id), mine));
  }
}

function refuse({ message, reply }: Candidate, reason: string): void {
  const { envelope } = message;
  const id = envelope.id === undefined ? undefined : copySpan(envelope.text, envelope.id);
  reply.respond(createErrorReply(id, RPC_ERRORS.SERVER_UNAVAILABLE, reason));
}
