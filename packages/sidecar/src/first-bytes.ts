/** Reads the destination from the first bytes of a connection: a TLS ClientHello's server name (RFC 6066), or HTTP. */

export type FirstBytes =
  | { readonly kind: "tls"; readonly name: string }
  | { readonly kind: "http" }
  /** Neither, or TLS without a server name. */
  | { readonly kind: "other" }
  | { readonly kind: "incomplete" };

const HANDSHAKE_RECORD = 0x16;
const CLIENT_HELLO = 1;
const SERVER_NAME_EXTENSION = 0;
/** A ClientHello with post-quantum keys has some 2 kB. */
const MAX_HELLO_BYTES = 64 * 1024;

export function readFirstBytes(bytes: Buffer): FirstBytes {
  if (bytes.length === 0) return { kind: "incomplete" };
  if (bytes[0] === HANDSHAKE_RECORD) return readHello(bytes);
  const word = /^[A-Z]{3,16}( ?)/.exec(bytes.toString("latin1", 0, 17));
  if (word?.[1] === " ") return { kind: "http" };
  return bytes.length < 17 && /^[A-Z]+$/.test(bytes.toString("latin1")) ? { kind: "incomplete" } : { kind: "other" };
}

function readHello(bytes: Buffer): FirstBytes {
  const message = joinRecords(bytes);
  if (message === undefined || message.length < 4) return isTooShort(bytes);
  if (message[0] !== CLIENT_HELLO) return { kind: "other" };
  const end = 4 + message.readUIntBE(1, 3);
  if (message.length < end) return isTooShort(bytes);
  const name = readServerName(message.subarray(4, end));
  return name === undefined ? { kind: "other" } : { kind: "tls", name };
}

function isTooShort(bytes: Buffer): FirstBytes {
  return { kind: bytes.length > MAX_HELLO_BYTES ? "other" : "incomplete" };
}

/** The handshake's bytes out of the records that carry them; a part when more will follow. */
function joinRecords(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; at + 5 <= bytes.length && bytes[at] === HANDSHAKE_RECORD; ) {
    const length = bytes.readUInt16BE(at + 3);
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  return parts.length === 0 ? undefined : Buffer.concat(parts);
}

function readServerName(hello: Buffer): string | undefined {
  const read = new Reader(hello);
  read.skip(2 + 32); // version, random
  read.skip(read.readNumber(1)); // session id
  read.skip(read.readNumber(2)); // cipher suites
  read.skip(read.readNumber(1)); // compression methods
  const extensions = new Reader(read.readBytes(read.readNumber(2)));
  while (extensions.left >= 4) {
    const type = extensions.readNumber(2);
    const body = extensions.readBytes(extensions.readNumber(2));
    if (type !== SERVER_NAME_EXTENSION || body.length < 5 || body[2] !== 0) continue;
    const name = body.toString("latin1", 5, 5 + body.readUInt16BE(3));
    return /^[A-Za-z0-9._-]{1,253}$/.test(name) ? name : undefined;
  }
  return undefined;
}

/** Past the end everything is empty: a message that lies about its lengths has no name. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return Math.max(0, this.#bytes.length - this.#at);
  }

  readNumber(size: number): number {
    const part = this.readBytes(size);
    return part.length === size ? part.readUIntBE(0, size) : 0;
  }

  skip(length: number): void {
    this.#at += length;
  }

  readBytes(length: number): Buffer {
    const part = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return part;
  }
}
