/** Reads a stream of newline-separated JSON values, as engines send for pulls and events. */
import type { Readable } from "node:stream";

const NEWLINE = 10;

export async function* readJsonLines(source: Readable): AsyncGenerator<unknown> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      const line = rest.toString("utf8", 0, end);
      rest = rest.subarray(end + 1);
      if (line.trim() !== "") yield JSON.parse(line);
    }
  }
  if (rest.toString("utf8").trim() !== "") yield JSON.parse(rest.toString("utf8"));
}
