/** The little of DNS messages (RFC 1035 4) that answers one question about an address. */

export const TYPE_A = 1;
const CLASS_IN = 1;
const HEADER_BYTES = 12;
/** Response, recursion desired and available. */
const RESPONSE_FLAGS = 0x8180;

export const RCODE = { ok: 0, serverFailure: 2, noSuchName: 3 } as const;

export interface DnsQuestion {
  readonly name: string;
  readonly type: number;
  /** The question's own bytes, for the answer. */
  readonly bytes: Buffer;
  readonly id: number;
}

/** @returns `undefined` for anything but one question of the internet class. */
export function parseQuestion(message: Buffer): DnsQuestion | undefined {
  if (message.length < HEADER_BYTES || message.readUInt16BE(4) !== 1 || (message.readUInt16BE(2) & 0xf800) !== 0) {
    return undefined;
  }
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > 63) return undefined;
    at += 1;
    if (length === 0) break;
    labels.push(message.toString("latin1", at, at + length));
    at += length;
  }
  if (message.length < at + 4 || message.readUInt16BE(at + 2) !== CLASS_IN) return undefined;
  const bytes = message.subarray(HEADER_BYTES, at + 4);
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at), bytes, id: message.readUInt16BE(0) };
}

interface AnswerOptions {
  readonly code: (typeof RCODE)[keyof typeof RCODE];
  readonly addresses?: readonly string[];
  readonly ttlSeconds: number;
}

export function formatAnswer({ id, bytes }: DnsQuestion, { code, addresses = [], ttlSeconds }: AnswerOptions): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(RESPONSE_FLAGS | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const record = Buffer.alloc(16);
    record.writeUInt16BE(0xc000 | HEADER_BYTES, 0); // the name in the question
    record.writeUInt16BE(TYPE_A, 2);
    record.writeUInt16BE(CLASS_IN, 4);
    record.writeUInt32BE(ttlSeconds, 6);
    record.writeUInt16BE(4, 10);
    for (const [index, part] of address.split(".").entries()) record[12 + index] = Number(part);
    return record;
  });
  return Buffer.concat([header, bytes, ...records]);
}
