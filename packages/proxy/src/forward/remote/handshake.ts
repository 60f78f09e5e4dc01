/**
 * Whether a remote server does its work: `initialize` and a list, sent on the way that calls of clients take. A server that
 * asks for a sign-in only at the first call shows it here. The check changes nothing for other clients: it keeps one session for as
 * long as the server does, and sends no DELETE at the end, because several servers stop for every client when one ends its session.
 */
import type { IncomingMessage } from "node:http";
import type { RemoteServer } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import {
  type ClientSession,
  type ExchangeGuard,
  ForeignAddress,
  type GuardedRequest,
  NotDelivered,
  openSession,
  SessionLost,
} from "@toolhive/mcp-client";
import { readMediaType } from "../../http/http-exchange.ts";
import type { RemoteRoute } from "./agent.ts";
import { RemoteExchange } from "./exchange.ts";
import { RefusedInSession, RemoteProbe } from "./probe.ts";
import { describeRemoteAnswer, describeRemoteFailure, type NamedServer, showUrl } from "./problems.ts";

/** Bytes of one answer: a list of many tools has hundreds of KiB. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Checks in a row that fail in one session before another one is opened. */
const MAX_FAILURES = 3;

export interface HandshakeTarget {
  readonly remote: RemoteServer;
  readonly server: NamedServer;
  readonly route: RemoteRoute;
}

/** A session of the check that a client goes on with. */
export interface HandedSession {
  /** `undefined` when the server names none. */
  readonly id: string | undefined;
  /** The server's answer to `initialize`. */
  readonly result: Readonly<Record<string, unknown>>;
}

/** A session that the server has accepted. */
interface Held {
  readonly session: ClientSession;
  readonly probe: RemoteProbe;
  /** Whether the server has answered a list in it. */
  hasAnswered: boolean;
}

export class RemoteHandshake implements Disposable {
  readonly #target: HandshakeTarget;
  /** Settles when the check before has ended: checks never overlap, so that they share a session. */
  #before: Promise<unknown> = Promise.resolve();
  #held: Held | undefined;
  #failures = 0;
  #isOver = false;
  /** Of the check under way; requests of the session are sent in its name. */
  #signal = new AbortController().signal;

  constructor({ remote, ...target }: HandshakeTarget) {
    // Observers receive nothing: only the caller of a check gets its result.
    const { onOutcome: _, ...quiet } = remote;
    this.#target = { ...target, remote: quiet };
  }

  /** @throws {ThvError} What is wrong. */
  check(signal: AbortSignal): Promise<void> {
    const check = this.#before.then(() => this.#check(signal));
    this.#before = check.catch(() => undefined);
    return check;
  }

  /** Gives away the check's session, because the server refuses a client that it has its only session already. */
  handOver(): HandedSession | undefined {
    const held = this.#held;
    const result = held?.session.answersInPlace ? held.probe.handOver() : undefined;
    return held && result && { id: held.session.id, result };
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#forget();
  }

  async #check(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    try {
      signal.throwIfAborted();
      await this.#askOrOpen();
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      if (this.#failures >= MAX_FAILURES) this.#forget();
      if (error instanceof RefusedInSession) throw error.problem;
      if (error instanceof ThvError) throw error;
      // The reason of the signal says more than the error of the connection that it broke off.
      const reason = signal.aborted ? signal.reason : error;
      throw describeRemoteFailure(
        reason instanceof NotDelivered ? (reason.cause ?? reason) : reason,
        this.#target.server,
      );
    }
  }

  async #askOrOpen(): Promise<void> {
    const held = this.#held;
    if (held === undefined) return await this.#openAndAsk();
    try {
      await held.probe.askList();
      held.hasAnswered = true;
    } catch (error) {
      // It does not know the session any more, or refuses what it took before.
      const isOver = error instanceof SessionLost || (error instanceof RefusedInSession && held.hasAnswered);
      if (!isOver || this.#signal.aborted) throw error;
      this.#forget();
      await this.#openAndAsk();
    }
  }

  async #openAndAsk(): Promise<void> {
    const held = await this.#open();
    const { session, probe } = held;
    // An abort ends everything under way, also work that no caller waits for any more.
    const stop = () => session.leave();
    this.#signal.addEventListener("abort", stop, { once: true });
    try {
      held.hasAnswered = await probe.initialize();
      if (!this.#isOver && !this.#signal.aborted) this.#held = held;
    } finally {
      this.#signal.removeEventListener("abort", stop);
      if (this.#held !== held) session.leave();
    }
    if (held.hasAnswered) return;
    await probe.askList();
    held.hasAnswered = true;
  }

  async #open(): Promise<Held> {
    const { remote, server, route } = this.#target;
    const problem = (reason: string, hint: string) =>
      new ThvError("SERVER_NOT_READY", `${showUrl(remote.url)} ${reason}.`, { hint });
    try {
      const probe = new RemoteProbe({ problem, signal: () => this.#signal });
      const session = await openSession(
        {
          ...{ url: remote.url, agent: route.agent, tls: route.tls, maxMessageBytes: MAX_ANSWER_BYTES },
          createGuard: (request) => this.#createGuard(request, problem),
        },
        {
          onMessage: (text) => probe.receive(text),
          // The request that waits fails, and the next check opens another session.
          onLost: () => {
            if (this.#held?.session === session) this.#forget();
          },
        },
        { transport: server.transport, signal: this.#signal },
      );
      probe.begin(session);
      return { session, probe, hasAnswered: false };
    } catch (error) {
      if (!(error instanceof ForeignAddress)) throw error;
      throw problem("names an address for messages on another host", "It is not used: a token would be sent there.");
    }
  }

  #createGuard(
    { method, path, hasSession }: GuardedRequest,
    problem: (reason: string, hint: string) => ThvError,
  ): ExchangeGuard {
    const { remote, server } = this.#target;
    const exchange = new RemoteExchange({
      ...{ remote, server, method, hasSession, canRepeat: true, id: undefined, signal: this.#signal },
      clientUrl: path,
    });
    return {
      get path() {
        return exchange.path;
      },
      authorize: () => exchange.authorize(),
      buildHeaders: (headers) => exchange.buildHeaders(headers),
      judge: async (answer) => {
        if (await exchange.judge(answer)) return true;
        const { statusCode: status = 0 } = answer;
        const known = describeRemoteAnswer(answer, server, { hasSession });
        if (known) throw known;
        const mayBeOver = hasSession && (status === 404 || status === 400);
        if (status >= 400 && !isJson(answer) && !mayBeOver)
          throw problem(
            `refuses ${method} with status ${status}`,
            "Check its address and what it needs, such as a header with a key.",
          );
        return false;
      },
    };
  }

  #forget(): void {
    this.#held?.session.leave();
    this.#held = undefined;
    this.#failures = 0;
  }
}

function isJson(answer: IncomingMessage): boolean {
  return readMediaType(answer) === "application/json";
}
