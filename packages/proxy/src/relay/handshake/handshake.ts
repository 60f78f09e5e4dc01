/**
 * The one initialization of a server process that many sessions share: the first session's `initialize` goes to the
 * server, later ones are answered from its stored result, a new process is initialized with the same parameters.
 *
 * Many servers exit, or never answer again, when anything arrives before `initialize`. So a process that is tried before a client
 * has come is initialized in the endpoint's own name, and once more in the name of the first client. Servers that take no second
 * `initialize` serve that client with the result of the first.
 */
import { ThvError } from "@toolhive/core/errors";
import type { ClientMessage } from "../../messages/client-message.ts";
import { isSessionlessServer, readErrorCode } from "../../messages/error-code.ts";
import {
  copySpan,
  createErrorReply,
  createResultReply,
  type Envelope,
  RPC_ERRORS,
  readEnvelope,
} from "../../messages/json-rpc.ts";
import { findMembers, splice } from "../../messages/json-scanner.ts";
import { isSessionRevision } from "../../messages/protocol-revisions.ts";
import type { Limits } from "../../options/limits.ts";
import { createReply, type Reply, withReply } from "../../sessions/reply.ts";
import { createTrialInitialize } from "./shared-initialize.ts";
import { Trial } from "./trial.ts";

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
  /**
   * Sends a request to the server under a new id; the reply gets a response in every case.
   *
   * @param timeoutMs Default: `initializeMs`.
   */
  readonly send: (envelope: Envelope, reply: Reply, timeoutMs?: number) => void;
  /** The server has answered: waiting requests are sent. @param again True when the endpoint repeated it on its own. */
  readonly onReady: (again: boolean) => void;
  /** The process has answered the endpoint's own `initialize`. */
  readonly onTried: () => void;
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
  readonly #trial = new Trial();
  /** A client's `initialize` that is the second one of its process. */
  #second: { readonly deadlineAt: number; readonly keepTrial: () => void } | undefined;

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

  /** Whether the process is initialized, in whose name ever, so that it may be sent pings. */
  get mayPing(): boolean {
    return this.isReady || this.#trial.wasPassed;
  }

  /**
   * Settles once the process has answered an `initialize`, with a result or with an error. Sends one in the endpoint's own name
   * when no client's is on its way.
   *
   * @throws {ThvError} `SERVER_NOT_READY`: no process is connected, or it went away.
   */
  async tryOut(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isConnected) throw new ThvError("SERVER_NOT_READY", "No server is running.");
    if (this.isReady || this.#trial.isOver) return;
    if (this.#state.kind === "none") this.#startTrial();
    await this.#trial.wait(signal);
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
    this.#trial.begin({ isSameProcess });
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
    this.#trial.end("The server went away.");
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
    const waitMs = this.#isTrying ? limits.initializeMs : limits.queueWaitMs;
    this.#waiting.push({ message, reply, deadlineAt: now() + waitMs });
    this.#startNext();
  }

  sweep(now: number): void {
    if (this.#second && this.#second.deadlineAt <= now) this.#second.keepTrial();
    // While one handshake runs, its own deadline bounds the others' wait.
    if (this.#state.kind === "running" && !this.#isTrying) return;
    const expired = this.#waiting.filter(({ deadlineAt }) => deadlineAt <= now);
    if (expired.length === 0) return;
    this.#waiting = this.#waiting.filter(({ deadlineAt }) => deadlineAt > now);
    for (const candidate of expired) refuse(candidate, "No server is running.");
  }

  close(): void {
    for (const candidate of this.#waiting.splice(0)) refuse(candidate, "The endpoint is closing.");
  }

  get #isTrying(): boolean {
    return this.#state.kind === "running" && this.#trial.isRunning;
  }

  #startTrial(): void {
    this.#state = { kind: "running" };
    this.#trial.start();
    const reply: Reply = {
      ...createReply((response) => {
        const result = readEnvelope(response)?.result;
        this.#state = { kind: "none" };
        this.#trial.finish(result && copySpan(response, result));
        if (result !== undefined) this.#options.onTried();
        else if (isSessionlessServer(response)) this.#becomeSessionless();
        this.#startNext();
      }),
      failUnanswered: (message) => {
        if (this.#state.kind === "running") this.#state = { kind: "none" };
        this.#trial.end(message);
      },
    };
    // A request for `initialize` must not be cancelled, and a late answer is one, too.
    this.#options.send(createTrialInitialize(), reply, Number.POSITIVE_INFINITY);
  }

  /** Forwards the first waiting `initialize`; the others wait for its result. */
  #startNext(): void {
    if (!this.#isConnected || this.#state.kind !== "none") return;
    const candidate = this.#waiting.shift();
    if (candidate === undefined) return;
    const { message, reply } = candidate;
    const earlier = this.#trial.result;
    const keepTrial = earlier && (() => this.#keepTrial(candidate, earlier));
    const second = keepTrial && {
      keepTrial,
      deadlineAt: this.#options.now() + this.#options.limits.secondInitializeMs,
    };
    this.#state = { kind: "running" };
    this.#second = second;
    /** @returns Whether the client still waits for the process. */
    const end = (): boolean => {
      // It was answered from the first result meanwhile.
      if (second !== this.#second) return false;
      this.#second = undefined;
      if (second === undefined || this.#isConnected) return true;
      this.#tryAgainAsFirst(candidate);
      return false;
    };
    const respond = (response: Buffer): void => {
      if (!end()) return;
      if (keepTrial && isSecondRefused(response)) keepTrial();
      else this.#pass(candidate, response);
    };
    const failUnanswered = (reason: string): void => {
      if (!end()) return;
      this.#state = { kind: "none" };
      reply.failUnanswered?.(reason);
      this.#startNext();
    };
    this.#options.send(message.envelope, withReply(reply, { respond, failUnanswered }));
  }

  #pass({ message, reply }: Candidate, response: Buffer): void {
    const result = this.#settle(message.envelope, response);
    if (result === undefined && this.#isConnected && isSessionlessServer(response)) this.#becomeSessionless();
    if (this.#isConnected) this.#trial.skip();
    reply.respond(response);
    if (result === undefined) this.#startNext();
    else this.#becomeReady(result, false);
  }

  /** The process takes no second `initialize`: its first result is the client's. */
  #keepTrial({ message, reply }: Candidate, result: Buffer): void {
    this.#second = undefined;
    this.#state = { kind: "ready", result };
    this.#accepted = message.envelope;
    this.#answer(result, message, reply);
    this.#becomeReady(result, false);
  }

  /** The process has ended at a second `initialize`, perhaps because of it: the next one is not tried before a client comes. */
  #tryAgainAsFirst({ message, reply }: Candidate): void {
    const { now, limits } = this.#options;
    this.#trial.giveUp();
    this.#waiting.unshift({ message, reply, deadlineAt: now() + limits.queueWaitMs });
  }

  #repeat(envelope: Envelope): void {
    this.#state = { kind: "running" };
    const reply = createReply((response) => {
      const result = this.#settle(envelope, response);
      if (this.#isConnected) this.#trial.skip();
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

/** A client whose parameters are at fault gets the server's own error. */
function isSecondRefused(response: Buffer): boolean {
  const code = readErrorCode(response);
  return code !== undefined && code !== RPC_ERRORS.INVALID_PARAMS;
}

function refuse({ message, reply }: Candidate, reason: string): void {
  const { envelope } = message;
  const id = envelope.id === undefined ? undefined : copySpan(envelope.text, envelope.id);
  reply.respond(createErrorReply(id, RPC_ERRORS.SERVER_UNAVAILABLE, reason));
}
