/** Reads an engine's log stream as lines, each with the stream it was written to, in the order the engine kept. */
import type { Readable } from "node:stream";
import type { LogLine } from "@toolhive/core";
import { FrameParser } from "./stdio-frames.ts";

/** Bytes after which a line without an end is cut. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 10;

export async function* readLogLines(source: Readable): AsyncGenerator<LogLine> {
  const parser = new FrameParser();
  const rest: Record<LogLine["stream"], Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  for await (const chunk of source as AsyncIterable<Buffer>) {
    for (const { stream, payload } of parser.push(chunk)) {
      let text = rest[stream].length === 0 ? payload : Buffer.concat([rest[stream], payload]);
      for (let end = text.indexOf(NEWLINE); end !== -1; end = text.indexOf(NEWLINE)) {
        yield lineOf(stream, text.subarray(0, end));
        text = text.subarray(end + 1);
      }
      if (text.length > MAX_LINE_BYTES) {
        yield lineOf(stream, text);
        text = Buffer.alloc(0);
      }
      rest[stream] = text;
    }
  }
  for (const stream of ["stdout", "stderr"] as const) {
    if (rest[stream].length > 0) yield lineOf(stream, rest[stream]);
  }
}

function lineOf(stream: LogLine["stream"], bytes: Buffer): LogLine {
  return { stream, text: bytes.toString("utf8").replace(/\r$/, "") };
}
