/**
 * An engine's multiplexed stream, split into stdout and stderr.
 * Format (Docker Engine API, "Stream format"): 8-byte header {stream 1|2, 0, 0, 0, length big-endian uint32}, then the payload.
 */
import { PassThrough, type Readable } from "node:stream";

const HEADER_BYTES = 8;
const STDERR = 2;

export interface Frame {
  readonly stream: "stdout" | "stderr";
  /** A part of the frame when it did not arrive in one piece. */
  readonly payload: Buffer;
  /** Whether the payload is the begin of the frame. */
  readonly isBegin: boolean;
}

/** Cuts chunks into frames; keeps what is incomplete for the next chunk. */
export class FrameParser {
  #header: Buffer = Buffer.alloc(0);
  #remaining = 0;
  #stream: Frame["stream"] = "stdout";
  #isBegin = false;

  *push(chunk: Buffer): Generator<Frame> {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#remaining === 0 && this.#header.length === 0 && chunk.length - offset >= HEADER_BYTES) {
        // Most headers are in one chunk.
        this.#begin(chunk, offset);
        offset += HEADER_BYTES;
        continue;
      }
      if (this.#remaining === 0) {
        const wanted = HEADER_BYTES - this.#header.length;
        this.#header = Buffer.concat([this.#header, chunk.subarray(offset, offset + wanted)]);
        offset += wanted;
        if (this.#header.length < HEADER_BYTES) return;
        this.#begin(this.#header, 0);
        this.#header = Buffer.alloc(0);
        continue;
      }
      const payload = chunk.subarray(offset, offset + this.#remaining);
      offset += payload.length;
      this.#remaining -= payload.length;
      yield { stream: this.#stream, payload, isBegin: this.#isBegin };
      this.#isBegin = false;
    }
  }

  /** @param offset Of the header. */
  #begin(bytes: Buffer, offset: number): void {
    this.#stream = bytes[offset] === STDERR ? "stderr" : "stdout";
    this.#remaining = bytes.readUInt32BE(offset + 4);
    this.#isBegin = true;
  }
}

/** Both streams must be read or resumed: an unread one holds the other back. */
export function splitStdio(source: Readable): { readonly stdout: Readable; readonly stderr: Readable } {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const parser = new FrameParser();
  const resume = () => {
    if (!streams.stdout.writableNeedDrain && !streams.stderr.writableNeedDrain) source.resume();
  };
  streams.stdout.on("drain", resume);
  streams.stderr.on("drain", resume);
  source.on("data", (chunk: Buffer) => {
    let hasRoom = true;
    for (const { stream, payload } of parser.push(chunk)) hasRoom = streams[stream].write(payload) && hasRoom;
    if (!hasRoom) source.pause();
  });
  const end = () => {
    streams.stdout.end();
    streams.stderr.end();
  };
  source.once("end", end);
  source.once("close", end);
  // A lost connection is an end: readers find the reason in the container's state.
  source.on("error", end);
  return streams;
}
