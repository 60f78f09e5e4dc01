/**
 * One kept connection that posts JSON over HTTP/1.1 with as little work as possible: what is measured is the bridge, and
 * the client takes its share of every latency. Node's own client costs several times as much for each call.
 */
import { connect } from "node:net";

const END_OF_HEAD = Buffer.from("\r\n\r\n");
const END_OF_LINE = Buffer.from("\r\n");
/** Bytes of a body that are kept to say what went wrong. */
const KEPT_BYTES = 300;

/** @typedef {{ status: number, session: string | undefined, bytes: number, head: string }} Answer */

export class HttpConnection {
  #port;
  /** @type {import("node:net").Socket | undefined} */
  #socket;
  /** @type {AnswerReader | undefined} */
  #reader;

  /** @param {number} port */
  constructor(port) {
    this.#port = port;
  }

  /**
   * @param {string} headers Further header lines, each with its end.
   * @param {string} body ASCII.
   * @returns {Promise<Answer>}
   */
  post(headers, body) {
    const head =
      `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${this.#port}\r\ncontent-type: application/json\r\n` +
      `accept: application/json, text/event-stream\r\n${headers}content-length: ${body.length}\r\n\r\n`;
    return new Promise((resolve, reject) => {
      const isReused = this.#socket !== undefined && !this.#socket.destroyed;
      const socket = isReused && this.#socket !== undefined ? this.#socket : this.#connect();
      const reader = new AnswerReader((answer, isLast) => {
        this.#reader = undefined;
        if (isLast) this.close();
        resolve(answer);
      });
      this.#reader = reader;
      reader.onClosed = (error) => {
        this.#reader = undefined;
        this.#socket = undefined;
        // A server may close a kept connection at the moment it is used again; that is no failure of the call.
        if (isReused && !reader.hasBegun) resolve(this.post(headers, body));
        else reject(error ?? new Error("the connection was closed before the answer was complete"));
      };
      socket.write(head + body, "latin1");
    });
  }

  close() {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #connect() {
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
    this.#socket = socket;
    /** @type {Error | undefined} */
    let failure;
    socket.on("data", (chunk) => this.#reader?.push(chunk));
    socket.on("error", (error) => {
      failure = error;
    });
    socket.on("close", () => {
      if (this.#socket === socket) this.#reader?.onClosed(failure);
    });
    return socket;
  }
}

/** Reads one answer, with a length or in chunks. */
class AnswerReader {
  hasBegun = false;
  /** @type {(error: Error | undefined) => void} */
  onClosed = () => undefined;
  #onDone;
  /** @type {Buffer} */
  #rest = Buffer.alloc(0);
  /** @type {{ status: number, session: string | undefined, isLast: boolean, isChunked: boolean } | undefined} */
  #head;
  /** Bytes of the body, or of the current chunk with its line end, that are still to come. */
  #awaited = 0;
  #bytes = 0;
  #text = "";

  /** @param {(answer: Answer, isLast: boolean) => void} onDone */
  constructor(onDone) {
    this.#onDone = onDone;
  }

  /** @param {Buffer} chunk */
  push(chunk) {
    this.hasBegun = true;
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (this.#head === undefined && !this.#readHead()) return;
    if (this.#head?.isChunked) this.#readChunks();
    else {
      this.#take(this.#rest.length);
      if (this.#awaited === 0) this.#end();
    }
  }

  /** @returns {boolean} Whether the head is complete. */
  #readHead() {
    const end = this.#rest.indexOf(END_OF_HEAD);
    if (end < 0) return false;
    const text = this.#rest.toString("latin1", 0, end);
    const header = (/** @type {string} */ name) => new RegExp(`^${name}: *(.*)$`, "im").exec(text)?.[1]?.trim();
    this.#head = {
      status: Number(text.slice(9, 12)),
      session: header("mcp-session-id"),
      isLast: header("connection")?.toLowerCase() === "close",
      isChunked: header("transfer-encoding")?.toLowerCase() === "chunked",
    };
    this.#awaited = this.#head.isChunked ? 0 : Number(header("content-length") ?? 0);
    this.#rest = this.#rest.subarray(end + END_OF_HEAD.length);
    return true;
  }

  #readChunks() {
    for (;;) {
      this.#take(Math.min(this.#awaited, this.#rest.length));
      if (this.#awaited > 0) return;
      const end = this.#rest.indexOf(END_OF_LINE);
      if (end < 0) return;
      const size = Number.parseInt(this.#rest.toString("latin1", 0, end), 16);
      if (size === 0) {
        // The line end after the last chunk belongs to the answer, too.
        if (this.#rest.length < end + 2 * END_OF_LINE.length) return;
        this.#end();
        return;
      }
      this.#rest = this.#rest.subarray(end + END_OF_LINE.length);
      this.#awaited = size + END_OF_LINE.length;
    }
  }

  /** @param {number} length */
  #take(length) {
    const part = this.#rest.subarray(0, length);
    if (this.#text.length < KEPT_BYTES) this.#text += part.toString("latin1", 0, KEPT_BYTES);
    this.#bytes += length;
    this.#awaited -= length;
    this.#rest = this.#rest.subarray(length);
  }

  #end() {
    const { status = 0, session, isLast = false } = this.#head ?? {};
    this.#onDone({ status, session, bytes: this.#bytes, head: this.#text.slice(0, KEPT_BYTES) }, isLast);
  }
}
