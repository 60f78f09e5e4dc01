/** Reads a stream of newline-separated JSON values, as engines send for pulls and events. */
import type { Readable } from "node:stream";
import { ByteParts } from "@toolhive/http/byte-parts";

const NEWLINE = 10;
/** Bytes of one value; engines send a few hundred. */
const MAX_VALUE_BYTES = 1024 * 1024;

/** @throws when a value is no JSON or longer than 1 MiB. */
export async function* readJsonLines(source: Readable): AsyncGenerator<unknown> {
  const line = new ByteParts();
  const take = (): string => line.take().toString("utf8").trim();
  for await (const chunk of source as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      // Most lines are in one chunk.
      const isWhole = line.length === 0;
      if (!isWhole) line.add(chunk.subarray(from, end));
      const text = isWhole ? chunk.toString("utf8", from, end).trim() : take();
      from = end + 1;
      if (text !== "") yield JSON.parse(text);
    }
    line.add(chunk.subarray(from));
    if (line.length > MAX_VALUE_BYTES)
      throw new Error(`a message of the engine is longer than ${MAX_VALUE_BYTES} bytes`);
  }
  const text = take();
  if (text !== "") yield JSON.parse(text);
}
