/**
 * A scripted MCP server on in-memory streams: answers `initialize` and `ping`, lets a test answer everything else.
 */

import { PassThrough } from "node:stream";
import type { StdioConnection } from "@toolhive/core";
import { isRecord } from "@toolhive/http/values";
import { waitFor } from "@toolhive/testing/wait-for";

export interface SeenMessage {
  /** The line as it came. */
  readonly raw: string;
  readonly id: string | number | undefined;
  readonly method: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
  readonly result: unknown;
  readonly error: unknown;
}

export interface FakeServerOptions {
  /** Answers requests as they come; return raw JSON of the result, or `undefined` to answer later. */
  readonly onRequest?: ((message: SeenMessage) => string | undefined) | undefined;
  /** Raw JSON of the capabilities it declares. */
  readonly capabilities?: string;
  /** Leaves `initialize` to `onRequest`. */
  readonly isSilent?: boolean;
  /** Leaves pings unanswered. */
  readonly ignoresPings?: boolean;
}

export const DEFAULT_CAPABILITIES = '{"tools":{},"logging":{}}';
export const INITIALIZE_RESULT = `{"protocolVersion":"2025-06-18","capabilities":${DEFAULT_CAPABILITIES},"serverInfo":{"name":"fake","version":"1.0"}}`;

export class FakeServer {
  readonly #stdin = new PassThrough();
  readonly #stdout = new PassThrough();
  readonly #options: FakeServerOptions;
  readonly seen: SeenMessage[] = [];
  #rest = "";

  constructor(options: FakeServerOptions = {}) {
    this.#options = options;
    this.#stdin.setEncoding("utf8");
    this.#stdin.on("data", (text: string) => this.#receive(text));
  }

  get connection(): StdioConnection {
    return { stdin: this.#stdin, stdout: this.#stdout };
  }

  /** Writes one line as it is. */
  write(line: string): void {
    this.#stdout.write(`${line}\n`);
  }

  answer(message: SeenMessage, result: string): void {
    this.write(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`);
  }

  notify(method: string, params: Readonly<Record<string, unknown>> = {}): void {
    this.write(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  request(id: number | string, method: string, params: Readonly<Record<string, unknown>> = {}): void {
    this.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  }

  /** Its output ends, as when the process exits. */
  exit(): void {
    this.#stdout.end();
  }

  listSeen(method: string): SeenMessage[] {
    return this.seen.filter((message) => message.method === method);
  }

  /** Waits for the n-th message of a method, the first by default. */
  async receive(method: string, count = 1): Promise<SeenMessage> {
    await waitFor(() => this.listSeen(method).length >= count, { what: `${count} × ${method} at the server` });
    const message = this.listSeen(method)[count - 1];
    if (message === undefined) throw new Error(`no ${method}`);
    return message;
  }

  /** Waits for the answer to one of its own requests. */
  async receiveAnswer(id: number | string): Promise<SeenMessage> {
    const find = (): SeenMessage | undefined => this.seen.find((m) => m.method === undefined && m.id === id);
    await waitFor(() => find() !== undefined, { what: `the answer to ${id}` });
    const message = find();
    if (message === undefined) throw new Error(`no answer to ${id}`);
    return message;
  }

  #receive(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const raw of lines) this.#handleLine(raw);
  }

  #handleLine(raw: string): void {
    const value: unknown = JSON.parse(raw);
    if (!isRecord(value)) throw new Error(`not a message: ${raw}`);
    const { id, method, params, result, error } = value;
    const message: SeenMessage = {
      raw,
      id: typeof id === "string" || typeof id === "number" ? id : undefined,
      method: typeof method === "string" ? method : undefined,
      params: isRecord(params) ? params : {},
      result,
      error,
    };
    this.seen.push(message);
    if (message.id === undefined || message.method === undefined) return;
    const answer = this.#answerTo(message);
    if (answer !== undefined) this.answer(message, answer);
  }

  #answerTo(message: SeenMessage): string | undefined {
    if (message.method === "initialize" && this.#options.isSilent !== true) {
      const { protocolVersion } = message.params;
      const result = INITIALIZE_RESULT.replace("2025-06-18", String(protocolVersion));
      return result.replace(DEFAULT_CAPABILITIES, this.#options.capabilities ?? DEFAULT_CAPABILITIES);
    }
    if (message.method === "ping") return this.#options.ignoresPings ? undefined : "{}";
    return this.#options.onRequest?.(message);
  }
}
