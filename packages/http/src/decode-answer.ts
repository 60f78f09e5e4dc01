/** Answers that a server has compressed, which it may do unasked where a request names no coding (RFC 9110, section 12.5.3). */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

export function isEncoded({ headers }: { readonly headers: IncomingHttpHeaders }): boolean {
  return readCoding(headers) !== "identity";
}

/**
 * @returns The bytes of the body without its coding. Fails as the answer does, and when the bytes are not in that coding. Its reader
 * has to bound what it keeps: a small answer may become a large one.
 * @throws For a coding that is not supported.
 */
export function decodeAnswer(answer: IncomingMessage): Readable {
  return decodeBody(answer, answer);
}

/** The same for a body that is no part of its message. @throws As `decodeAnswer`. */
export function decodeBody({ headers }: { readonly headers: IncomingHttpHeaders }, body: Readable): Readable {
  const coding = readCoding(headers);
  if (coding === "identity") return body;
  const createDecoder = DECODERS.get(coding);
  if (createDecoder === undefined) {
    body.destroy();
    throw new Error(`The server compressed its answer in a way that cannot be read: ${coding.slice(0, 20)}.`);
  }
  const decoder = createDecoder();
  // The reader of the decoder gets the error.
  pipeline(body, decoder, () => undefined);
  return decoder;
}

function readCoding({ "content-encoding": coding }: IncomingHttpHeaders): string {
  return coding === undefined || coding === "" ? "identity" : coding.trim().toLowerCase();
}
