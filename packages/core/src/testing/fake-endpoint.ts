/** The ports of a machine and the MCP endpoints that listen on them, in memory. */
import { createInterface } from "node:readline";
import type { ToolSelection } from "../access/tool-selection.ts";
import type {
  CallGate,
  HttpConnection,
  McpEndpoint,
  McpEndpointOptions,
  ObservedCall,
  PinnedTools,
  RemoteServer,
  StdioConnection,
} from "../ports/mcp-endpoint.ts";
import { Deferred } from "../support/deferred.ts";
import { ThvError } from "../support/errors.ts";
import { Life } from "./life.ts";

export class FakeNetwork {
  /** Listening endpoints by their port. */
  readonly endpoints = new Map<number, FakeEndpoint>();
  /** What is wrong with servers that run elsewhere, by address; they work unless they are here. */
  readonly remoteProblems = new Map<string, ThvError>();

  async open(options: McpEndpointOptions, life: Life = new Life()): Promise<FakeEndpoint> {
    return await life.step(async () => {
      if (this.endpoints.has(options.port)) {
        throw new ThvError("PORT_IN_USE", `Port ${options.port} on ${options.host} is in use.`);
      }
      const endpoint = new FakeEndpoint(options, () => this.#release(endpoint), this.remoteProblems);
      this.endpoints.set(options.port, endpoint);
      life.onDeath(() => this.#release(endpoint));
      return endpoint;
    });
  }

  #release(endpoint: FakeEndpoint): void {
    if (this.endpoints.get(endpoint.port) === endpoint) this.endpoints.delete(endpoint.port);
  }
}

export class FakeEndpoint implements McpEndpoint {
  readonly name: string;
  readonly port: number;
  readonly counts = { sessions: 0, streams: 0, pendingRequests: 0 };
  /** The calls of the supervisor, in order. */
  readonly history: ("connect" | "resume" | "disconnect" | "close")[] = [];
  /** The server's own names of its tools. */
  listedTools: readonly string[] | undefined;
  recentCalls: readonly ObservedCall[] | undefined;
  judge: McpEndpoint["judge"];
  readonly #release: () => void;
  readonly #remoteProblems: ReadonlyMap<string, ThvError>;
  /** The server elsewhere that it is connected to. */
  remote: RemoteServer | undefined;
  readonly #pending = new Map<number, Deferred<void>>();
  #connection: StdioConnection | undefined;
  #nextId = 1;
  #isReady = false;

  constructor(
    { name, port, tools, toolOverrides }: McpEndpointOptions,
    release: () => void,
    remoteProblems: ReadonlyMap<string, ThvError> = new Map(),
  ) {
    this.#remoteProblems = remoteProblems;
    this.name = name;
    this.selection = { tools, toolOverrides };
    this.port = port;
    this.#release = release;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  connect(connection: StdioConnection | HttpConnection, { resume = false }: { resume?: boolean } = {}): void {
    this.history.push(resume ? "resume" : "connect");
    this.#drop("replaced by a new server");
    if (!("stdin" in connection)) {
      this.remote = connection.remote;
      return;
    }
    this.#connection = connection;
    const lines = createInterface({ input: connection.stdout });
    lines.on("line", (line) => this.#onLine(line));
    lines.on("close", () => {
      if (this.#connection === connection) this.#drop("the server's output has ended");
    });
  }

  disconnect(reason: string): void {
    this.history.push("disconnect");
    this.#drop(reason);
  }

  /** What a request of a client would enter. */
  gate: CallGate | undefined;
  hasSubscribers = false;

  guard(gate: CallGate | undefined): void {
    this.gate = gate;
  }

  /** What clients are offered. */
  selection: ToolSelection;

  chooseTools(selection: ToolSelection): void {
    this.selection = selection;
  }

  /** What tools are held to. */
  pins: PinnedTools | undefined;
  /** How often clients were notified of pins, and listed the tools again. */
  pinNews = 0;

  pinTools(pins: PinnedTools | undefined): void {
    this.pins = pins;
    if (pins) this.pinNews += 1;
  }

  leave(): void {
    // It has no connections of clients.
  }

  async probe(signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    if (this.remote) {
      const problem = this.#remoteProblems.get(this.remote.url.href);
      if (problem) throw problem;
      return 1;
    }
    if (!this.#connection) throw new ThvError("SERVER_NOT_READY", "No server is connected.");
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = new Deferred<void>();
    this.#pending.set(id, answer);
    const onAbort = () => answer.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    this.#connection.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`);
    try {
      await answer.promise;
      return 1;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#pending.delete(id);
    }
  }

  async close(): Promise<void> {
    this.history.push("close");
    this.#drop("the endpoint was closed");
    this.#release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #onLine(line: string): void {
    this.#isReady = true;
    const { id } = JSON.parse(line) as { id: number };
    this.#pending.get(id)?.resolve();
  }

  #drop(reason: string): void {
    this.#connection = undefined;
    this.remote = undefined;
    this.#isReady = false;
    for (const answer of this.#pending.values()) answer.reject(new ThvError("SERVER_NOT_READY", reason));
  }
}
