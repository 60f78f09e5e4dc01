/**
 * Rewrites the first event of an HTTP with SSE stream, which tells the client where to post: servers in a container
 * name their own address, which clients cannot reach.
 */
import { Transform, type TransformCallback } from "node:stream";

/** Bytes searched for the first event; a stream that starts differently passes unchanged. */
const MAX_FIRST_EVENT_BYTES = 16 * 1024;
/** Bytes of an end of an event that may have come before. */
const EARLIER_BYTES = 3;

interface RewriterOptions {
  /** Where clients reach the endpoint, for example `http://127.0.0.1:4000`. */
  readonly origin: string;
  /** Replaces the server's address for posting, on its own host. Default: the client receives it as it is. */
  readonly seal?: ((address: string) => string) | undefined;
  /** Called with the address that the client receives, before it is sent. */
  readonly onAddress?: ((address: string) => void) | undefined;
}

export class EndpointEventRewriter extends Transform {
  readonly #options: RewriterOptions;
  #head: Buffer | undefined = Buffer.alloc(0);

  constructor(options: RewriterOptions) {
    super();
    this.#options = options;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#head === undefined) {
      done(null, chunk);
      return;
    }
    this.#head = Buffer.concat([this.#head, chunk]);
    const from = Math.max(0, this.#head.length - chunk.length - EARLIER_BYTES);
    const end = /\r\n\r\n|\n\n|\r\r/.exec(this.#head.toString("latin1", from));
    if (end === null && this.#head.length < MAX_FIRST_EVENT_BYTES) {
      done();
      return;
    }
    this.#release(end === null ? 0 : from + end.index, done);
  }

  override _flush(done: TransformCallback): void {
    if (this.#head === undefined) done();
    else this.#release(0, done);
  }

  /** Forwards the held bytes. @param length Bytes of the first event. */
  #release(length: number, done: TransformCallback): void {
    const head = this.#head ?? Buffer.alloc(0);
    this.#head = undefined;
    const { origin, seal, onAddress } = this.#options;
    const rewritten = rewriteEndpointEvent(head.toString("latin1", 0, length), origin);
    const own = readPostAddress(rewritten);
    const address = own !== undefined && seal !== undefined ? seal(own) : own;
    const event = own === undefined || own === address ? rewritten : rewritten.replace(own, () => address ?? own);
    if (address !== undefined) onAddress?.(address);
    done(null, Buffer.concat([Buffer.from(event, "latin1"), head.subarray(length)]));
  }
}

/** @returns The address in an endpoint event, `undefined` for any other. */
function readPostAddress(event: string): string | undefined {
  const address = isEndpointEvent(event) ? /^data: ?(\S+)/m.exec(event)?.[1] : undefined;
  return address !== undefined && URL.canParse(address, "http://localhost") ? address : undefined;
}

function isEndpointEvent(event: string): boolean {
  return /^event: ?endpoint\r?$/m.test(event);
}

/** @param event The lines of one event. @returns The same lines; absolute addresses of an endpoint event have our origin. */
export function rewriteEndpointEvent(event: string, origin: string): string {
  if (!isEndpointEvent(event)) return event;
  return event.replace(/^(data: ?)https?:\/\/[^/\s]+/m, (_, field: string) => `${field}${origin}`);
}
