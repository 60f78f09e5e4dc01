/** Reads an engine's log stream as lines, each with the stream it was written to, in the order the engine kept. */
import type { Readable } from "node:stream";
import type { LogLine } from "@toolhive/core";
import { ByteParts } from "@toolhive/core/byte-parts";
import { FrameParser } from "./stdio-frames.ts";

/** Bytes after which a line without an end is cut. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 10;

export async function* readLogLines(source: Readable): AsyncGenerator<LogLine> {
  const parser = new FrameParser();
  const begun: Record<LogLine["stream"], ByteParts> = { stdout: new ByteParts(), stderr: new ByteParts() };
  const isCut: Record<LogLine["stream"], boolean> = { stdout: false, stderr: false };
  const lineOf = (stream: LogLine["stream"], bytes: Buffer, { isWhole }: { isWhole: boolean }): LogLine => {
    const isContinued = isCut[stream];
    isCut[stream] = !isWhole;
    return { stream, text: bytes.toString("utf8").replace(/\r$/, ""), ...(isContinued && { isContinued }) };
  };
  for await (const chunk of source as AsyncIterable<Buffer>) {
    for (const { stream, payload } of parser.push(chunk)) {
      const line = begun[stream];
      let from = 0;
      for (let end = payload.indexOf(NEWLINE); end !== -1; end = payload.indexOf(NEWLINE, from)) {
        line.add(payload.subarray(from, end));
        from = end + 1;
        yield lineOf(stream, line.take(), { isWhole: true });
      }
      line.add(payload.subarray(from));
      if (line.length > MAX_LINE_BYTES) yield lineOf(stream, line.take(), { isWhole: false });
    }
  }
  for (const stream of ["stdout", "stderr"] as const) {
    if (begun[stream].length > 0) yield lineOf(stream, begun[stream].take(), { isWhole: true });
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
