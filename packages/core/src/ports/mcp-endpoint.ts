/**
 * The MCP endpoint of one workload as a port: an HTTP listener that outlives the server process behind it.
 * The supervisor opens it once per workload and connects it to each new server process.
 */
import type { ServerResponse } from "node:http";
import type { LookupFunction } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { AccessConfig } from "../access/access-config.ts";
import type { ToolSelection } from "../access/tool-selection.ts";
import type { ThvError } from "../support/errors.ts";
import type { RemoteAuthorization } from "./remote-authorization.ts";

/** A running server's stdio, one JSON-RPC message per line. */
export interface StdioConnection {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Receives each line of stdout that is not a message. */
  readonly onStrayLine?: (text: string) => void;
}

/** Where a server that speaks HTTP itself is reached. */
export interface HttpConnection {
  readonly host: string;
  readonly port: number;
  /** Finds the addresses of `host`. Default: the system's. */
  readonly lookup?: LookupFunction | undefined;
  /** Present for a server that runs elsewhere; `host` and `port` are those of its address. */
  readonly remote?: RemoteServer | undefined;
}

/**
 * The differences of a server that runs elsewhere. It receives nothing from a client but MCP, and the client receives nothing
 * else from it.
 */
export interface RemoteServer {
  /** Address of its MCP endpoint; without a path that matters when it is transparent. */
  readonly url: URL;
  readonly authorization: RemoteAuthorization;
  /** Added to each request, in lower case. They may be secret. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Certificates to trust besides the usual ones, PEM. */
  readonly ca?: string | undefined;
  /** Hands on every path and what clients sign in with by themselves. Default false. */
  readonly isTransparent?: boolean | undefined;
  /** Called after each exchange of a client, with its problem. */
  readonly onOutcome?: ((problem: ThvError | undefined) => void) | undefined;
}

export interface McpEndpointOptions extends ToolSelection {
  /** Workload name; used in logs and in the fragment of SSE addresses. */
  readonly name: string;
  /** Address to listen on, default 127.0.0.1. */
  readonly host: string;
  /** TCP port, 1–65535; 0 lets the system choose. */
  readonly port: number;
  /** Names that clients may call it by, besides those of this machine; in lower case. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of web pages that may call it, besides its own: `http://localhost:5173`, in lower case. Default: none. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Transport of the server behind it; decides which kind of connection it accepts. Default stdio. */
  readonly transport?: "stdio" | "sse" | "streamable-http";
  /** Whether the server runs elsewhere: it is connected with a `remote`. Default false. */
  readonly isRemote?: boolean | undefined;
  /** Access rules. Default: none, every caller that reaches the port may do everything. */
  readonly access?: AccessConfig | undefined;
  /** Opens even while the token issuer cannot be reached, and refuses every request until then. Default false. */
  readonly mayWaitForIssuer?: boolean;
}

/** Holds back requests, and knows of each that passes. */
export interface CallGate {
  /**
   * @returns When the request may pass; `undefined`: at once.
   * @throws At once or later, when it may not. The caller receives a {ThvError}.
   */
  enter(response: ServerResponse): Promise<void> | undefined;
}

/** A server's definition of a tool, with the names of the protocol. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
  readonly _meta?: unknown;
}

/** A tool as a server lists it. */
export interface OfferedTool {
  readonly name: string;
  /** Absent when two parsers could read it differently, and for numbers that JavaScript cannot hold. */
  readonly definition: ToolDefinition | undefined;
  /** Whether it is clear what it says, although there is no definition: it is held to its bytes. Default false. */
  readonly isClear?: boolean | undefined;
  /** The whole definition as the server wrote it (JSON); present where `definition` is absent. */
  readonly text?: string | undefined;
}

/** A page of the list of a server's tools. */
export interface ToolPage {
  readonly tools: readonly OfferedTool[];
  /** Cursor of the page behind it; absent on the last one. */
  readonly next: string | undefined;
  /** The same for pages with the same bytes. Default: it is compared tool by tool each time. */
  readonly digest?: string | undefined;
}

/** What clients see of a tool: what the server says, the definition in its place (JSON), or nothing. */
export type ShownTool = "unchanged" | "hidden" | { readonly definition: string };

/** Holds tools to what they were, by the server's own names. */
export interface PinnedTools {
  /** Whether new tools are held back, too. Then only messages that can be judged may pass. */
  readonly holdsNew: boolean;
  /** Whether a call may be refused at this moment. */
  readonly mayRefuse: boolean;
  /** Whether a list has passed, so that clients may know one. */
  readonly hasList: boolean;
  /** Whether a page was reviewed before, and would pass as it is, with nothing new in it. */
  isSettled(digest: string): boolean;
  /** @returns What clients see of each tool of the page. */
  review(page: ToolPage): readonly ShownTool[];
  /** @returns Why a tool may not be called; `undefined` when it may. */
  findRefusal(tool: string): string | undefined;
}

export interface McpEndpointCounts {
  readonly sessions: number;
  readonly streams: number;
  readonly pendingRequests: number;
}

/** A call that a client made, as it ended. */
export interface ObservedCall {
  /** 1 for the first call since the endpoint was opened. */
  readonly id: number;
  /** When it ended. */
  readonly at: Date;
  /** Name, address or subject in the caller's token; at most 200 characters. */
  readonly caller: string;
  readonly method: string;
  /** Name of the tool or prompt, or URI of the resource; at most 200 characters. */
  readonly target?: string;
  /** `denied`: by a policy. `failure`: it was invalid. `error`: the server or the endpoint failed. */
  readonly outcome: "success" | "denied" | "failure" | "error";
  readonly ms: number;
}

/** Whether a caller may do something. */
export interface PolicyQuestion {
  /** Claims of the caller's token; `sub` is the caller. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly action: "call_tool" | "get_prompt" | "read_resource";
  /** Of the tool or prompt, or the URI of the resource. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface PolicyVerdict {
  readonly isAllowed: boolean;
  /** Positions of the policies that decided it, from 0. Empty when no policy applies, which denies it. */
  readonly policies: readonly number[];
  /** Why policies could not decide, which denies it. */
  readonly problem?: string;
}

export interface McpEndpoint extends AsyncDisposable {
  readonly port: number;
  readonly counts: McpEndpointCounts;
  /** Whether a server process is connected and has answered. */
  readonly isReady: boolean;
  /**
   * Connects a server process; replaces the one before. With `resume`, the process already holds a session from an
   * earlier supervisor and is not initialized again.
   */
  connect(connection: StdioConnection | HttpConnection, options?: { resume?: boolean }): void;
  /** The process has exited: answers every request in flight with a JSON-RPC error and keeps the sessions. */
  disconnect(reason: string): void;
  /** The newest calls, newest first, at most 200; `undefined` without policies, audit and telemetry: then none are kept. */
  readonly recentCalls?: readonly ObservedCall[] | undefined;
  /**
   * The server's own names of its tools, from the list that passed last; `undefined` until one has passed, and while no
   * tools are chosen or renamed.
   */
  readonly listedTools?: readonly string[] | undefined;
  /** What the policies say; `undefined` without policies. */
  readonly judge?: ((question: PolicyQuestion) => PolicyVerdict) | undefined;
  /**
   * From now on these tools are offered, and no others. Sessions stay open, and their clients are notified that the list has
   * changed.
   */
  chooseTools(selection: ToolSelection): void;
  /**
   * From now on the tools are held to these; `undefined`: to nothing. Sessions stay open, and their clients are notified that the
   * list has changed.
   */
  pinTools(pins: PinnedTools | undefined): void;
  /** From now on every request of a client enters this gate, but for those for its health; `undefined`: none. */
  guard(gate: CallGate | undefined): void;
  /** Whether clients wait for news of resources, on a stream or until they open one. */
  readonly hasSubscribers: boolean;
  /**
   * Measures one round trip to the server; to a remote one a whole handshake with a list, as a client makes it.
   *
   * @returns Milliseconds. @throws When it does not answer in time; for a remote one a `ThvError` with the problem.
   */
  probe(signal: AbortSignal): Promise<number>;
  /** From now on each answer ends its connection: the client's next connection may lead to another endpoint. */
  leave(): void;
  /** Stops listening, ends streams, forgets sessions. */
  close(): Promise<void>;
}

/** Opens the endpoint. @throws {ThvError} `PORT_IN_USE`. */
export type OpenMcpEndpoint = (options: McpEndpointOptions) => Promise<McpEndpoint>;
