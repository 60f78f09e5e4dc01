/**
 * A session at a relay of this process, without a connection. For endpoints that ask nothing of their callers and write
 * nothing down: for all others the way leads through their listener, where that happens.
 */
import { isRecord } from "@toolhive/http/values";
import { UNAUTHENTICATED_CALLER } from "../../messages/caller.ts";
import { keepKnownCapabilities } from "../../messages/client-capabilities.ts";
import type { ClientMessage } from "../../messages/client-message.ts";
import { readEnvelope } from "../../messages/json-rpc.ts";
import { findPath } from "../../messages/json-scanner.ts";
import { LATEST_SESSION_REVISION } from "../../messages/protocol-revisions.ts";
import { ensureInitialized } from "../../relay/ensure-initialized.ts";
import type { Relay } from "../../relay/relay.ts";
import type { Reply } from "../../sessions/reply.ts";
import type { Session } from "../../sessions/session.ts";
import { readInitializeResult } from "./initialize-answer.ts";
import type { OpenUpstreamOptions, Upstream, UpstreamHandler } from "./upstream.ts";

const NEWLINE = 0x0a;

export class LocalUpstream implements Upstream {
  readonly isAttributed = true;
  readonly result: Buffer;
  readonly #relay: Relay;
  readonly #session: Session;
  readonly #handler: UpstreamHandler;
  #isOpen = true;

  private constructor(relay: Relay, { initialize, handler }: OpenUpstreamOptions) {
    const params: unknown = JSON.parse(initialize);
    const capabilities = isRecord(params) && isRecord(params.capabilities) ? params.capabilities : {};
    const session = relay.sessions.create({
      client: {
        revision: LATEST_SESSION_REVISION,
        capabilities: new Set(Object.keys(capabilities)),
        details: keepKnownCapabilities(capabilities),
      },
      transport: "stateless",
      caller: UNAUTHENTICATED_CALLER,
      // Nothing is kept for a reader: everything is handed on at once.
      transform: (text) => {
        if (this.#isOpen) handler.onMessage(text, undefined);
        return undefined;
      },
    });
    if (session === undefined) throw new Error("too many sessions are in use");
    session.isEstablished = true;
    this.result = relay.initializeResult ?? Buffer.from("{}");
    this.#relay = relay;
    this.#session = session;
    this.#handler = handler;
  }

  /**
   * @returns `undefined` when the server knows no sessions: its endpoint is asked over HTTP then.
   * @throws When the server does not accept the session.
   */
  static async open(relay: Relay, options: OpenUpstreamOptions): Promise<LocalUpstream | undefined> {
    const { signal } = options;
    let onAbort = (): void => undefined;
    const aborted = new Promise<never>((_resolve, reject) => {
      onAbort = () => reject(signal.reason);
    });
    if (signal.aborted) throw signal.reason;
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const failure = await Promise.race([ensureInitialized(relay), aborted]);
      if (failure !== undefined) readInitializeResult(failure);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
    return relay.isServerSessionless ? undefined : new LocalUpstream(relay, options);
  }

  send(message: readonly Buffer[], id: number | undefined): void {
    const text = joinMessage(message);
    if (this.#session.isClosed) {
      if (id !== undefined) this.#handler.onFailed(id, { reason: "its session has ended", isUnreceived: true });
      this.#end("its session has ended");
      return;
    }
    const read = readLocalMessage(text);
    if (read !== undefined) this.#relay.dispatch(this.#session, read, this.#createReply(id));
  }

  forget(): void {
    // The cancellation that precedes it has ended the request there, too.
  }

  touch(): void {
    if (this.#session.isClosed) this.#end("its session has ended");
    else this.#session.touch();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#relay.sessions.end(this.#session, "the client of the group has left");
  }

  #createReply(id: number | undefined): Reply | undefined {
    if (id === undefined) return undefined;
    return {
      notify: (text) => {
        if (this.#isOpen) this.#handler.onMessage(text, id);
        return true;
      },
      respond: (text) => {
        if (this.#isOpen) this.#handler.onMessage(text, id);
      },
      cancel: () => undefined,
    };
  }

  #end(reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#handler.onEnd(reason);
  }
}

/** Requests arrive as lines for a process; the relay ends lines itself, and two ends would be an empty one. */
function joinMessage(message: readonly Buffer[]): Buffer {
  const [only] = message;
  const text = message.length === 1 && only !== undefined ? only : Buffer.concat(message);
  return text[text.length - 1] === NEWLINE ? text.subarray(0, -1) : text;
}

/** A message of our own making: its form is known, and only the members that a relay uses are read. */
function readLocalMessage(text: Buffer): ClientMessage | undefined {
  const envelope = readEnvelope(text);
  if (envelope === undefined) return undefined;
  const { params: span } = envelope;
  if (span === undefined) return { envelope, params: {} };
  const params: unknown = JSON.parse(text.toString("utf8", span.start, span.end));
  const progressToken = text.includes("progressToken")
    ? findPath(text, span.start, ["_meta", "progressToken"])
    : undefined;
  return { envelope, params: isRecord(params) ? params : {}, progressToken };
}
