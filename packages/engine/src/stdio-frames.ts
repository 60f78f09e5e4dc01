/**
 * Splits an engine's multiplexed stream into stdout and stderr.
 * Format (Docker Engine API, "Stream format"): 8-byte header {stream 1|2, 0, 0, 0, length big-endian uint32}, then the payload.
 */
import { PassThrough, type Readable } from "node:stream";

const HEADER_BYTES = 8;
const STDERR = 2;

export interface StdioStreams {
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** Both streams must be read or resumed: an unread one holds the other back. */
export function splitStdio(source: Readable): StdioStreams {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  let header = Buffer.alloc(0);
  let remaining = 0;
  let target = stdout;

  const consume = (chunk: Buffer): boolean => {
    let hasRoom = true;
    let offset = 0;
    while (offset < chunk.length) {
      if (remaining === 0) {
        const wanted = HEADER_BYTES - header.length;
        header = Buffer.concat([header, chunk.subarray(offset, offset + wanted)]);
        offset += wanted;
        if (header.length < HEADER_BYTES) break;
        target = header[0] === STDERR ? stderr : stdout;
        remaining = header.readUInt32BE(4);
        header = Buffer.alloc(0);
        continue;
      }
      const payload = chunk.subarray(offset, offset + remaining);
      offset += payload.length;
      remaining -= payload.length;
      hasRoom = target.write(payload) && hasRoom;
    }
    return hasRoom;
  };

  const resume = () => {
    if (!stdout.writableNeedDrain && !stderr.writableNeedDrain) source.resume();
  };
  stdout.on("drain", resume);
  stderr.on("drain", resume);
  source.on("data", (chunk: Buffer) => {
    if (!consume(chunk)) source.pause();
  });
  const end = () => {
    stdout.end();
    stderr.end();
  };
  source.once("end", end);
  source.once("close", end);
  // A lost connection is an end: whoever reads learns why from the container's state.
  source.on("error", end);
  return { stdout, stderr };
}
