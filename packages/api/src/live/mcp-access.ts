/** An MCP client as a port: the API does not load one, because most supervisors are never asked to call anything. */

export type McpKind = "tools" | "prompts" | "resources" | "resourceTemplates";
type McpMethod = "tools/call" | "prompts/get" | "resources/read";

export interface OpenMcpOptions {
  readonly signal: AbortSignal;
  /** Called with each message of the protocol, in the order in which they cross. */
  readonly onMessage?: (direction: "in" | "out", message: unknown) => void;
  /** Answers what the server asks: sampling, elicitation. Default: the server receives the error that the client cannot. */
  readonly onQuestion?: (method: string, params: unknown, signal: AbortSignal) => Promise<Record<string, unknown>>;
}

export interface McpSession extends AsyncDisposable {
  /** All pages; none of a kind that the server does not have. */
  list(kind: McpKind): Promise<readonly Record<string, unknown>[]>;
  call(method: McpMethod, params: Record<string, unknown>): Promise<unknown>;
}

/** @throws {ThvError} `SERVER_NOT_READY`, `UNAUTHENTICATED`; of a session also {RpcFailure}. */
export type OpenMcp = (url: URL, options: OpenMcpOptions) => Promise<McpSession>;

/** A JSON-RPC error of the server itself. */
export class RpcFailure extends Error {
  override readonly name = "RpcFailure";
  readonly rpcCode: number;
  readonly data: unknown;

  constructor(message: string, rpcCode: number, data: unknown) {
    super(message);
    this.rpcCode = rpcCode;
    this.data = data;
  }
}
