/**
 * The connection to one server process: messages in and out, one per line, with a bound on what waits in its stdin.
 */
import type { Logger, StdioConnection } from "@toolhive/core";
import { describeError } from "@toolhive/core/errors";
import { type Envelope, readEnvelope } from "../messages/json-rpc.ts";
import { findElements, skipSpace } from "../messages/json-scanner.ts";
import { LineSplitter } from "../messages/line-splitter.ts";
import type { Line } from "../messages/outgoing-line.ts";
import type { Limits } from "../options/limits.ts";

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CARRIAGE_RETURN = 0x0d;
/** Bytes of a stray line (not a message) that are forwarded to the log. */
const MAX_STRAY_BYTES = 4096;
/** Stray lines forwarded in a second; the rest is only counted. */
const STRAY_LINES = 100;
/** Bytes at either end of a message that cannot be read, in which its id may be. */
const END_BYTES = 4096;

export interface ServerLinkOptions {
  readonly connection: StdioConnection;
  readonly limits: Limits;
  readonly log: Logger;
  readonly onMessage: (envelope: Envelope) => void;
  /** A message was longer than the bound, or cannot be read; receives its first and last bytes. */
  readonly onOversize: (head: Buffer, tail: Buffer) => void;
  /**
   * Whether several clients are connected. Then all messages of one event loop turn go to the server as one write,
   * because each write wakes the engine and its shim.
   */
  readonly isShared: () => boolean;
  /** The server has read everything that was queued. */
  readonly onDrain: () => void;
  /** Called at most once, unless `close` was called before. */
  readonly onGone: (reason: string) => void;
}

export class ServerLink {
  readonly #options: ServerLinkOptions;
  #isOpen = true;
  #hasSpoken = false;
  #second = 0;
  #linesInSecond = 0;
  #hasStrayed = false;
  /** Writes are collected until the end of this event loop turn. */
  #isCollecting = false;

  constructor(options: ServerLinkOptions) {
    this.#options = options;
    const { stdin, stdout } = options.connection;
    const splitter = new LineSplitter({
      maxLineBytes: options.limits.maxLineBytes,
      onLine: (line) => this.#receive(line),
      onOversize: (head, tail) => options.onOversize(head, tail),
    });
    stdout.on("data", (chunk: Buffer | string) => {
      if (this.#isOpen) splitter.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    });
    const gone = (reason: string): void => {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      options.onGone(reason);
    };
    stdout.on("end", () => gone("the server closed its output"));
    stdout.on("close", () => gone("the server's output was closed"));
    stdout.on("error", (error) => gone(`the server's output failed: ${describeError(error)}`));
    stdin.on("error", (error) => gone(`the server's input failed: ${describeError(error)}`));
    stdin.on("drain", () => options.onDrain());
    stdin.on("close", () => gone("the server's input was closed"));
  }

  /** Whether the server has sent a valid message. */
  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  /** Bytes queued in the server's stdin. */
  get backlogBytes(): number {
    return this.#isOpen ? this.#options.connection.stdin.writableLength : 0;
  }

  /** @returns False when the message was refused: the link is closed, or the server has stopped reading. */
  send(line: Line): boolean {
    const { stdin } = this.#options.connection;
    if (!this.#isOpen || stdin.writableLength > this.#options.limits.maxStdinBytes) return false;
    if (!this.#isCollecting && this.#options.isShared()) {
      this.#isCollecting = true;
      stdin.cork();
      setImmediate(() => this.#endTurn());
    }
    const isOneWrite = line.length > 1;
    if (isOneWrite) stdin.cork();
    for (const piece of line) stdin.write(piece);
    if (isOneWrite) stdin.uncork();
    return true;
  }

  #endTurn(): void {
    this.#isCollecting = false;
    this.#options.connection.stdin.uncork();
  }

  /** Stops listening. The streams stay open for their owner. */
  close(): void {
    this.#isOpen = false;
  }

  #receive(line: Buffer): void {
    const text = line[line.length - 1] === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
    const first = text[skipSpace(text, 0)];
    if (first === OPEN_BRACE && this.#dispatch(text)) return;
    if (first === OPEN_BRACKET) {
      // Revision 2025-03-26 lets a server answer in a batch; each message is routed by itself.
      const elements = findElements(text, skipSpace(text, 0), this.#options.limits.maxRequests) ?? [];
      const accepted = elements.filter(({ start, end }) => this.#dispatch(text.subarray(start, end)));
      if (accepted.length > 0) return;
    }
    const isLong = text.length > 2 * END_BYTES;
    if (isLong && first === OPEN_BRACE)
      this.#options.onOversize(text.subarray(0, END_BYTES), text.subarray(-END_BYTES));
    if (first !== undefined) this.#forwardStray(text);
  }

  /**
   * It may be a piece of what a tool returned, so it goes to the server's own log and not to ours. A server that
   * writes many such lines must not delay the others.
   */
  #forwardStray(text: Buffer): void {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) {
      this.#reportUnread();
      this.#second = second;
      this.#linesInSecond = 0;
    }
    this.#linesInSecond += 1;
    if (this.#linesInSecond > STRAY_LINES) return;
    this.#options.connection.onStrayLine?.(text.toString("utf8", 0, MAX_STRAY_BYTES));
    if (this.#hasStrayed) return;
    this.#hasStrayed = true;
    this.#options.log.warn({}, "server writes lines to its output that are no messages");
  }

  #reportUnread(): void {
    const unread = this.#linesInSecond - STRAY_LINES;
    if (unread > 0) this.#options.connection.onStrayLine?.(`thv: left out ${unread} lines that are no messages`);
  }

  #dispatch(text: Buffer): boolean {
    const envelope = readEnvelope(text);
    if (envelope === undefined) return false;
    this.#hasSpoken = true;
    this.#options.onMessage(envelope);
    return true;
  }
}
