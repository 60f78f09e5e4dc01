/** Reads an engine's log stream as lines, each with the stream it was written to, in the order the engine kept. */
import type { Readable } from "node:stream";
import type { LogLine, LogPosition } from "@toolhive/core";
import { ByteParts } from "@toolhive/http/byte-parts";
import { type Frame, FrameParser } from "./stdio-frames.ts";

/** Bytes after which a line without an end is cut. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 10;
const SPACE = 32;
/** Bytes of a moment, `2026-01-31T12:00:00.000000000+01:00`, and some more. */
const MAX_STAMP_BYTES = 48;

interface ReadOptions {
  /** Each frame begins with a moment and a space, also one that is a further piece of a long line. Default false. */
  readonly isStamped?: boolean;
}

export async function* readLogLines(
  source: Readable,
  { isStamped = false }: ReadOptions = {},
): AsyncGenerator<LogLine> {
  const parser = new FrameParser();
  const stamps = new StampReader();
  const lines = { stdout: new LineBuilder("stdout"), stderr: new LineBuilder("stderr") };
  for await (const chunk of source as AsyncIterable<Buffer>) {
    for (const frame of parser.push(chunk)) {
      const line = lines[frame.stream];
      const payload = isStamped ? stamps.readStamp(frame) : frame.payload;
      if (stamps.at !== undefined) line.at ??= stamps.at;
      yield* line.push(payload);
    }
  }
  for (const line of [lines.stdout, lines.stderr]) yield* line.end();
}

/** Puts together the lines of one stream. */
class LineBuilder {
  /** Of the line that is being put together. */
  at: number | undefined;
  readonly #stream: LogLine["stream"];
  readonly #begun = new ByteParts();
  #isCut = false;

  constructor(stream: LogLine["stream"]) {
    this.#stream = stream;
  }

  *push(payload: Buffer): Generator<LogLine> {
    let from = 0;
    for (let end = payload.indexOf(NEWLINE); end !== -1; end = payload.indexOf(NEWLINE, from)) {
      // Most lines are in one payload.
      const isInOne = this.#begun.length === 0;
      if (!isInOne) this.#begun.add(payload.subarray(from, end));
      const bytes = isInOne ? payload.subarray(from, end) : this.#begun.take();
      from = end + 1;
      yield this.#createLine(bytes, { isWhole: true });
    }
    this.#begun.add(payload.subarray(from));
    if (this.#begun.length > MAX_LINE_BYTES) yield this.#createLine(this.#begun.take(), { isWhole: false });
  }

  *end(): Generator<LogLine> {
    if (this.#begun.length > 0) yield this.#createLine(this.#begun.take(), { isWhole: true });
  }

  #createLine(bytes: Buffer, { isWhole }: { isWhole: boolean }): LogLine {
    const isContinued = this.#isCut;
    const at = this.at;
    this.#isCut = !isWhole;
    this.at = undefined;
    return {
      stream: this.#stream,
      text: bytes.toString("utf8").replace(/\r$/, ""),
      ...(at !== undefined && { at }),
      ...(isContinued && { isContinued }),
    };
  }
}

/** Takes the moment off the begin of each frame, wherever the chunks are cut. */
class StampReader {
  /** Of the newest frame, once it is whole. */
  at: number | undefined;
  #begun: Buffer | undefined;

  readStamp({ payload, isBegin }: Frame): Buffer {
    if (isBegin) this.at = undefined;
    else if (this.#begun === undefined) return payload;
    const bytes = isBegin || this.#begun === undefined ? payload : Buffer.concat([this.#begun, payload]);
    const end = bytes.indexOf(SPACE);
    if (end === -1 && bytes.length <= MAX_STAMP_BYTES) {
      this.#begun = bytes;
      return Buffer.alloc(0);
    }
    this.#begun = undefined;
    const text = bytes.toString("latin1", 0, Math.max(0, end));
    const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
    // Not what was asked for: rather a line without its moment than one without its begin.
    if (Number.isNaN(at)) return bytes;
    this.at = at;
    return bytes.subarray(end + 1);
  }
}

/**
 * Of a log that is followed from its beginning, yields the lines after a position, and moves the position. Where the log was
 * rotated since, the time of the newest line decides, or no line is old.
 */
export async function* skipOld(lines: AsyncIterable<LogLine>, position: LogPosition): AsyncGenerator<LogLine> {
  const { newest = Number.NEGATIVE_INFINITY } = position;
  let isRotated = false;
  let left = position.count;
  let index = 0;
  for await (const line of lines) {
    if (index === 0 && line.text !== position.first) {
      isRotated = true;
      left = 0;
      position.count = 0;
      position.first = line.text;
    }
    index += 1;
    const isOld = index <= left || (isRotated && line.at !== undefined && line.at <= newest);
    position.count = Math.max(position.count, index);
    if (line.at !== undefined) position.newest = Math.max(position.newest ?? line.at, line.at);
    if (!isOld) yield line;
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

export async function readExcerpt(lines: AsyncIterable<LogLine>, tail: number): Promise<LogExcerpt> {
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
