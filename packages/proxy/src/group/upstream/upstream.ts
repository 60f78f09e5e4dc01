/** A session at one server of a group, whatever the way to it. */
import type { GroupLimits } from "../../options/group-limits.ts";
import { ToolHeaders } from "../../transports/modern/tool-headers.ts";

/** What is known of a server of revision 2026-07-28, for all that send it requests. */
export class ModernServer {
  /** Raw JSON of its answer to `server/discover`; `undefined` while it is not known as such a server. */
  discovered: Buffer | undefined;
  readonly tools = new ToolHeaders();
}

export interface RequestFailure {
  readonly reason: string;
  /** Of a JSON-RPC error that the server's endpoint gave without the request's id. */
  readonly code?: number | undefined;
  /** Whether the session has ended and the server has not received the request, so that a new session may send it again. */
  readonly isUnreceived?: boolean;
}

export interface UpstreamHandler {
  /** @param via Id of the request on whose stream the message arrived, where the transport identifies it. */
  onMessage(text: Buffer, via: number | undefined): void;
  /** Whether somebody waits for the answer to the request. */
  isAwaited(id: number): boolean;
  /** The request will get no answer. */
  onFailed(id: number, failure: RequestFailure): void;
  /** The session has ended by itself. What is in flight will get no answer. */
  onEnd(reason: string): void;
}

export interface Upstream {
  /** Raw JSON of the server's answer to `initialize`. */
  readonly result: Buffer;
  /** Whether messages name the request that they belong to. */
  readonly isAttributed: boolean;
  /**
   * @param id Of a request.
   * @param logLevel Of the log messages that its client wants of this one request. Servers with sessions have a level for a session.
   */
  send(message: readonly Buffer[], id: number | undefined, logLevel?: string): void;
  /** The caller stops waiting for the answer to a request. */
  forget(id: number): void;
  /** The session is still needed. */
  touch(): void;
  close(): void;
}

export interface OpenUpstreamOptions {
  /** Of the server's endpoint. */
  readonly url: URL;
  /** Raw JSON of the `params` of `initialize`. */
  readonly initialize: string;
  readonly handler: UpstreamHandler;
  readonly limits: GroupLimits;
  readonly signal: AbortSignal;
  readonly server: ModernServer;
  /** Whether changes of lists are of interest. A server with sessions says them in each session. */
  readonly followsLists: boolean;
}

export const INITIALIZED_MESSAGE = Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}');

/** @param params Raw JSON. */
export function createInitializeRequest(params: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":${params}}`);
}
