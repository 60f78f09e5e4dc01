/**
 * Rewrites the events of HTTP with SSE that contain the address to which a client posts. A server in a container names its own
 * address there, which clients cannot reach; a hostile one names another program of this machine. Clients receive addresses of
 * this endpoint only.
 */
import { Transform, type TransformCallback } from "node:stream";

/** Bytes of such an event; a longer one ends the stream. */
const MAX_EVENT_BYTES = 16 * 1024;
const LINE_END = /\r\n|\n|\r/g;
/** A byte order mark may precede the first line. */
const ENDPOINT_LINE = /^(?:\xef\xbb\xbf)?event: ?endpoint$/;
/** Lines whose first bytes alone do not identify them. */
const TELLING_LINES = ["event: endpoint", "event:endpoint", "data"].flatMap((line) => [line, `\xef\xbb\xbf${line}`]);
/** Data that may be an address: a message of JSON begins with a bracket. */
const ADDRESS_DATA = /^(?:\xef\xbb\xbf)?data(?:$|: ?(?![ {[]))/;
/** A path that every parser takes for one of the same host. */
const PLAIN_PATH = /^\/(?:[!-.0-[\]-~][!-[\]-~]*)?$/;

interface RewriterOptions {
  /** Where the client opened the stream, for example `http://127.0.0.1:4000/sse`. */
  readonly base: URL;
  /** Where the server opened it, which its relative addresses are relative to. Default: the same path. */
  readonly serverUrl?: URL | undefined;
  /** Replaces the server's address for posting, on its own host. Default: the client receives it as it is. */
  readonly seal?: ((address: string) => string) | undefined;
  /** Called with the address that the client receives, before it is sent. */
  readonly onAddress?: ((address: string) => void) | undefined;
}

export class EndpointEventRewriter extends Transform {
  readonly #options: RewriterOptions;
  /** The begin of a line that has not been handed on, since it may be one that matters. */
  #part = "";
  /** Whether the begin of the present line has been handed on. */
  #isMidLine = false;
  #endsWithReturn = false;
  /** Whether lines of data of the present event have been handed on. */
  #hasData = false;
  /** The lines of an event that may have an address, once it has begun. */
  #lines: string[] | undefined;
  /** The same with their ends. */
  #raw = "";
  /** Whether neither an address nor a message has passed: an event may name itself after its data. */
  #isOpening = true;
  #heldBytes = 0;

  constructor(options: RewriterOptions) {
    super();
    this.#options = options;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const text = this.#part + chunk.toString("latin1");
    let out = "";
    /** Where what may be handed on as it is begins. */
    let kept = 0;
    let start = 0;
    LINE_END.lastIndex = this.#part.length;
    // The second half of an end of line in the previous chunk.
    if (this.#endsWithReturn && text.startsWith("\n")) {
      start = LINE_END.lastIndex = 1;
      if (this.#lines !== undefined) {
        kept = 1;
        this.#raw += "\n";
      }
    }
    if (text !== "") this.#endsWithReturn = text.endsWith("\r");
    for (let match = LINE_END.exec(text); match !== null; match = LINE_END.exec(text)) {
      const end = match.index + match[0].length;
      const line = text.slice(start, match.index);
      const isWhole = !this.#isMidLine;
      this.#isMidLine = false;
      if (this.#lines !== undefined) {
        this.#lines.push(line);
        this.#raw += text.slice(start, end);
        this.#heldBytes += line.length;
        kept = end;
        if (this.#heldBytes > MAX_EVENT_BYTES) break;
        if (line === "") out += this.#release(this.#lines);
      } else if (isWhole && ENDPOINT_LINE.test(line)) {
        out += text.slice(kept, start);
        kept = end;
        // When its data has been sent already, the event loses its name, and clients ignore its text, which is no message.
        if (!this.#hasData) this.#hold(line, text.slice(start, end));
      } else if (isWhole && this.#isOpening && ADDRESS_DATA.test(line)) {
        out += text.slice(kept, start);
        kept = end;
        this.#hold(line, text.slice(start, end));
      } else if (isWhole) {
        this.#hasData = line !== "" && (this.#hasData || isData(line));
        if (this.#hasData) this.#isOpening = false;
      }
      start = end;
    }
    const rest = text.slice(start);
    const isHeld = this.#lines !== undefined || (!this.#isMidLine && rest !== "" && this.#mayMatter(rest));
    if (isHeld) out += text.slice(kept, Math.max(kept, start));
    else {
      out += text.slice(kept);
      if (rest !== "" && !this.#isMidLine && isData(rest)) this.#hasData = true;
      if (rest !== "") this.#isMidLine = true;
    }
    const isUnchanged = this.#part === "" && out.length === chunk.length && kept === 0;
    this.#part = isHeld ? rest : "";
    if (this.#heldBytes + this.#part.length > MAX_EVENT_BYTES) {
      done(new Error(`an address for posting is longer than ${MAX_EVENT_BYTES} bytes`));
    } else if (out === "") done();
    else done(null, isUnchanged ? chunk : Buffer.from(out, "latin1"));
  }

  /** @param rest The begin of a line. */
  #mayMatter(rest: string): boolean {
    return (
      TELLING_LINES.some((line) => line.startsWith(rest)) ||
      (this.#isOpening && !this.#hasData && ADDRESS_DATA.test(rest))
    );
  }

  #hold(line: string, raw: string): void {
    this.#lines = [line];
    this.#raw = raw;
  }

  /** The rest is an incomplete event, which clients would drop too. */
  override _flush(done: TransformCallback): void {
    done();
  }

  /** @param lines Of one whole event. @returns What the client gets in its place. */
  #release(lines: readonly string[]): string {
    const raw = this.#raw;
    this.#lines = undefined;
    this.#raw = "";
    this.#heldBytes = 0;
    const { base, serverUrl, seal, onAddress } = this.#options;
    if (readField(lines, "event").at(-1) !== "endpoint") return raw;
    this.#isOpening = false;
    const given = readField(lines, "data").join("\n");
    const own = rewriteAddress(given, base, serverUrl);
    if (own === undefined) return "";
    const address = seal === undefined ? own : seal(own);
    onAddress?.(address);
    const others = lines.filter((line) => line !== "" && !/^(?:\xef\xbb\xbf)?(?:event|data)(?::|$)/.test(line));
    return [...others, "event: endpoint", `data: ${address}`, "", ""].join("\n");
  }
}

function isData(line: string): boolean {
  return /^(?:\xef\xbb\xbf)?data(?::|$)/.test(line);
}

function readField(lines: readonly string[], name: string): string[] {
  return lines.flatMap((line) => {
    const [, field, value = ""] = /^(?:\xef\xbb\xbf)?([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    return field === name ? [value] : [];
  });
}

/**
 * @param address As a server gave it, perhaps with its own host.
 * @returns The same path at the endpoint; `undefined` for what is no address of HTTP.
 */
export function rewriteAddress(address: string, base: URL, serverUrl: URL = base): string | undefined {
  if (PLAIN_PATH.test(address)) return address;
  const url = URL.canParse(address, serverUrl.href) ? new URL(address, serverUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  const path = url.pathname + url.search;
  // A path that begins with two slashes would be a host for a reader of the path alone.
  return `${base.origin}${path.replace(/^\/{2,}/, "/")}`;
}
