/** Reads a stream of newline-separated JSON values, as engines send for pulls and events. */
import type { Readable } from "node:stream";

/** Longest line, bytes; engines send a few hundred. */
const MAX_LINE_LENGTH = 1024 * 1024;

export async function* readJsonLines(source: Readable): AsyncGenerator<unknown> {
  for await (const line of readLines(source)) {
    if (line.trim() !== "") yield JSON.parse(line);
  }
}

/** Yields each line without its newline; a last line without one counts. Longer lines than 1 MiB are cut there. */
export async function* readLines(source: Readable): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let newline = rest.indexOf(10);
    while (newline !== -1) {
      yield rest.toString("utf8", 0, newline).replace(/\r$/, "");
      rest = rest.subarray(newline + 1);
      newline = rest.indexOf(10);
    }
    if (rest.length > MAX_LINE_LENGTH) {
      yield rest.toString("utf8");
      rest = Buffer.alloc(0);
    }
  }
  if (rest.length > 0) yield rest.toString("utf8");
}
