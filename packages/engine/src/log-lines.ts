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
  const isCut: Record<LogLine["stream"], boolean> = { stdout: false, stderr: false };
  const lineOf = (stream: LogLine["stream"], bytes: Buffer, { isWhole }: { isWhole: boolean }): LogLine => {
    const isContinued = isCut[stream];
    isCut[stream] = !isWhole;
    return { stream, text: bytes.toString("utf8").replace(/\r$/, ""), ...(isContinued && { isContinued }) };
  };
  for await (const chunk of source as AsyncIterable<Buffer>) {
    for (const { stream, payload } of parser.push(chunk)) {
      let text = rest[stream].length === 0 ? payload : Buffer.concat([rest[stream], payload]);
      for (let end = text.indexOf(NEWLINE); end !== -1; end = text.indexOf(NEWLINE)) {
        yield lineOf(stream, text.subarray(0, end), { isWhole: true });
        text = text.subarray(end + 1);
      }
      if (text.length > MAX_LINE_BYTES) {
        yield lineOf(stream, text, { isWhole: false });
        text = Buffer.alloc(0);
      }
      rest[stream] = text;
    }
  }
  for (const stream of ["stdout", "stderr"] as const) {
    if (rest[stream].length > 0) yield lineOf(stream, rest[stream], { isWhole: true });
  }
}

/**
 * Of a log that is followed from its begin, what comes after the lines that nobody asked for.
 *
 * @param seen What was there a moment before.
 */
export async function* skipOld(lines: AsyncIterable<LogLine>, seen: LogExcerpt, tail: number): AsyncGenerator<LogLine> {
  let index = 0;
  let left = Math.max(0, seen.count - tail);
  for await (const line of lines) {
    // A log that was rotated since begins with another line: nothing of it is old.
    if (index === 0 && line.text !== seen.first) left = 0;
    if (index >= left) yield line;
    index += 1;
  }
}

export interface LogExcerpt {
  /** Oldest first. */
  readonly newest: LogLine[];
  /** Of all lines. */
  readonly count: number;
  /** Text of the first of all lines. */
  readonly first: string | undefined;
}

export async function excerptOf(lines: AsyncIterable<LogLine>, tail: number): Promise<LogExcerpt> {
  const newest: LogLine[] = [];
  let count = 0;
  let first: string | undefined;
  for await (const line of lines) {
    first ??= line.text;
    count += 1;
    newest.push(line);
    if (newest.length > tail) newest.shift();
  }
  return { newest, count, first };
}
