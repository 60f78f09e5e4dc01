/**
 * One server of a group: how it is reached, what it offers, and whether it answers. A session of its own, apart from those of
 * clients, reads the lists and is notified when they change. While that fails it tries again, and the lists that it has stay
 * valid.
 */
import type { GroupMember, GroupMemberStatus, Logger } from "@toolhive/core";
import { BRAND } from "@toolhive/core/brand";
import { describeError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { type Envelope, RPC_ERRORS } from "../../messages/json-rpc.ts";
import { LATEST_SESSION_REVISION } from "../../messages/protocol-revisions.ts";
import type { GroupLimits } from "../../options/group-limits.ts";
import type { Relay } from "../../relay/relay.ts";
import { type Definitions, isSameOffer, NO_DEFINITIONS } from "../catalog/definitions.ts";
import { CircuitBreaker } from "../upstream/circuit-breaker.ts";
import { HttpUpstream } from "../upstream/http-upstream.ts";
import { HasOneSession } from "../upstream/initialize-answer.ts";
import { LocalUpstream } from "../upstream/local-upstream.ts";
import { SharedSession } from "../upstream/shared-session.ts";
import { ModernServer, type Upstream, type UpstreamHandler } from "../upstream/upstream.ts";
import { ListReader, pause } from "./list-reader.ts";

export interface BackendOptions {
  readonly limits: GroupLimits;
  readonly log: Logger;
  readonly now: () => number;
  /** The relay of this process behind an endpoint's address, where there is one that may be entered without a connection. */
  readonly findRelay: (url: URL) => Relay | undefined;
  /** Called when it offers something else, or can be reached or not. */
  readonly onChange: (backend: Backend, change: "definitions" | "state") => void;
  /** Called with progress of a client's request that arrived in the group's own session. */
  readonly onProgress: (backend: Backend, envelope: Envelope) => void;
}

export class Backend {
  readonly name: string;
  /** Requests of clients in flight, and their bytes. */
  pendingCalls = 0;
  pendingBytes = 0;
  readonly breaker: CircuitBreaker;
  readonly #options: BackendOptions;
  #member: GroupMember;
  #definitions: Definitions | undefined;
  /** Why the lists could not be read; `undefined` once they were. */
  #problem: string | undefined;
  #isRead = false;
  #reading: AbortController | undefined;
  /** The group's own session, in which the lists are read. */
  #own: SharedSession | undefined;
  /** Whether clients use the group's own session, because the server accepts no second one. */
  #hasOneSession = false;
  #modern = new ModernServer();
  readonly #joinedAt: number;
  readonly #onFirstRead: (() => void)[] = [];

  /** @param known What it offered when it was last seen. */
  constructor(member: GroupMember, known: Definitions | undefined, options: BackendOptions) {
    const { limits, now } = options;
    const { maxFailures, firstPauseMs, maxPauseMs } = limits;
    this.name = member.name;
    this.#member = member;
    this.#definitions = known;
    this.#options = options;
    this.#joinedAt = now();
    this.breaker = new CircuitBreaker({ maxFailures, firstPauseMs, maxPauseMs, now });
    if (member.isRunning) this.#start();
  }

  get definitions(): Definitions {
    return this.#definitions ?? NO_DEFINITIONS;
  }

  get isRunning(): boolean {
    return this.#member.isRunning;
  }

  /** Why requests cannot go there now; `undefined` when they can. */
  get problem(): string | undefined {
    if (!this.#member.isRunning) return this.#member.reason ?? "it is stopped";
    return this.breaker.problem ?? this.#problem;
  }

  get state(): GroupMemberStatus["state"] {
    if (!this.#member.isRunning) return "stopped";
    if (this.problem !== undefined) return "unavailable";
    return this.#isRead ? "ready" : "starting";
  }

  update(member: GroupMember): void {
    const before = this.#member;
    this.#member = member;
    if (member.isRunning && (!before.isRunning || before.url !== member.url || before.run !== member.run)) {
      this.breaker.succeed();
      this.#start();
    }
    if (before.isRunning && !member.isRunning) this.#stop(new Error("it was stopped"));
    if (before.isRunning !== member.isRunning || before.reason !== member.reason) this.#options.onChange(this, "state");
  }

  /**
   * Waits until the lists have been read once, but only for a limited time after the server joined: a client that asks right
   * after that would otherwise see nothing, and not all clients listen for changes of lists.
   */
  async untilFirstRead(): Promise<void> {
    const { limits, now } = this.#options;
    const rest = this.#joinedAt + limits.firstListMs - now();
    if (this.#definitions !== undefined || !this.#member.isRunning || this.#problem !== undefined || rest <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, rest);
      this.#onFirstRead.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /**
   * Opens a session. @param capabilities Of its client.
   *
   * @throws When the server does not accept it in time.
   */
  async open(capabilities: Readonly<Record<string, unknown>>, handler: UpstreamHandler): Promise<Upstream> {
    // The group's own session is opened first: a client that got the only one would leave the group without lists.
    if (!this.#hasOneSession) {
      try {
        return await this.#open(capabilities, handler, { signal: startTimeout(this.#options.limits.openMs) });
      } catch (error) {
        if (!(error instanceof HasOneSession) || this.#own?.upstream === undefined) throw error;
        this.#hasOneSession = true;
      }
    }
    const shared = this.#own?.join(handler);
    if (shared === undefined) throw new Error("its only session has ended, and another one is being opened");
    return shared;
  }

  /** @returns Why no further request goes there now; `undefined` when one may. */
  findRefusal(): { readonly code: number; readonly reason: string } | undefined {
    const { maxServerCalls, maxServerBytes } = this.#options.limits;
    const unavailable = (reason: string) => ({ code: RPC_ERRORS.SERVER_UNAVAILABLE, reason });
    if (!this.#member.isRunning) return unavailable(this.describeFailure(this.#member.reason ?? "it is stopped"));
    const failure = this.breaker.refuse();
    if (failure !== undefined) return unavailable(`${this.describeFailure(failure)} It is tried again in a moment.`);
    if (this.pendingCalls < maxServerCalls && this.pendingBytes < maxServerBytes) return undefined;
    return { code: RPC_ERRORS.TOO_MANY, reason: `Too many requests wait for the server "${this.name}".` };
  }

  /** A sentence for a client whose request failed. */
  describeFailure(reason: string): string {
    return `The server "${this.name}" of this group does not answer: ${reason.replace(/\.$/, "")}. The others do.`;
  }

  /** A request of a client failed on its way. */
  recordFailure(reason: string): void {
    const before = this.problem;
    this.breaker.fail(reason);
    if (before === undefined) this.#options.onChange(this, "state");
  }

  /** A request of a client was answered. */
  recordSuccess(): void {
    const before = this.problem;
    this.breaker.succeed();
    if (before !== this.problem) this.#options.onChange(this, "state");
  }

  /** Whether a session costs nothing, so that each request may have its own. */
  get isLocal(): boolean {
    return this.#relay?.isServerSessionless === false;
  }

  close(): void {
    this.#stop(new Error("the group is closing"));
  }

  get #relay(): Relay | undefined {
    return this.#options.findRelay(new URL(this.#member.url));
  }

  async #open(
    capabilities: Readonly<Record<string, unknown>>,
    handler: UpstreamHandler,
    { signal, followsLists = false }: { readonly signal: AbortSignal; readonly followsLists?: boolean },
  ): Promise<Upstream> {
    const clientInfo = { name: BRAND.command, version: "1" };
    const initialize = JSON.stringify({ protocolVersion: LATEST_SESSION_REVISION, capabilities, clientInfo });
    const url = new URL(this.#member.url);
    const { limits } = this.#options;
    const options = { url, initialize, handler, limits, signal, followsLists, server: this.#modern };
    try {
      const relay = this.#relay;
      const local = relay && (await LocalUpstream.open(relay, options));
      return local ?? (await HttpUpstream.open(options));
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new Error(`it has not accepted a session within ${limits.openMs / 1000} s`, { cause: error });
    }
  }

  #start(): void {
    this.#stop(new Error("its server was started again"));
    const reading = new AbortController();
    this.#reading = reading;
    this.#isRead = false;
    void this.#keepReading(reading.signal);
  }

  #stop(reason: Error): void {
    this.#reading?.abort(reason);
    this.#reading = undefined;
    this.#settleFirstRead();
  }

  /** Reads the lists whenever they change, and again after a while where that fails. */
  async #keepReading(signal: AbortSignal): Promise<void> {
    const { limits, log } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      let reader: ListReader | undefined;
      const slow = setTimeout(() => {
        this.#recordProblem(`it has not told within ${limits.slowMs / 1000} s what it offers`);
      }, limits.slowMs);
      try {
        reader = await this.#openReader(signal);
        for (;;) {
          const definitions = await reader.readAll();
          if (signal.aborted) break;
          clearTimeout(slow);
          failures = 0;
          this.#recordDefinitions(definitions);
          await reader.untilChanged(signal);
        }
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        log.debug({ server: this.name, reason: describeError(error) }, "lists of a server could not be read");
        this.#recordProblem(describeError(error));
      } finally {
        clearTimeout(slow);
        reader?.close();
      }
      const pauseMs = Math.min(limits.maxPauseMs, limits.firstPauseMs * 2 ** Math.min(failures, 20));
      if (!signal.aborted) await pause(pauseMs, signal);
    }
  }

  async #openReader(signal: AbortSignal): Promise<ListReader> {
    const reader = new ListReader(this.#options.limits, (envelope) => {
      // Where clients use the group's own session, they have received it themselves.
      if (!this.#hasOneSession) this.#options.onProgress(this, envelope);
    });
    const bounded = AbortSignal.any([signal, startTimeout(this.#options.limits.openMs)]);
    const own = new SharedSession(reader);
    // Another process may have taken its place, of another version.
    this.#modern = new ModernServer();
    own.upstream = await this.#open({}, own, { signal: bounded, followsLists: true });
    reader.upstream = own.upstream;
    reader.onClosed = () => own.onEnd("the session was closed");
    this.#own = own;
    if (signal.aborted) reader.close();
    signal.throwIfAborted();
    return reader;
  }

  #recordDefinitions(definitions: Definitions): void {
    const before = this.#definitions;
    const wasReady = this.state === "ready";
    this.#problem = undefined;
    this.#isRead = true;
    this.breaker.succeed();
    this.#definitions = definitions;
    if (before === undefined || !isSameOffer(before, definitions)) this.#options.onChange(this, "definitions");
    else if (!wasReady) this.#options.onChange(this, "state");
    this.#settleFirstRead();
  }

  #recordProblem(reason: string): void {
    const before = this.problem;
    this.#problem = reason;
    if (before !== this.problem) this.#options.onChange(this, "state");
    this.#settleFirstRead();
  }

  #settleFirstRead(): void {
    for (const settle of this.#onFirstRead.splice(0)) settle();
  }
}
