/** The head of a server's answer, with names in lower case and values as Node has them. */
import type { IncomingHttpHeaders } from "node:http";

export interface AnswerHead {
  readonly statusCode?: number | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** Those that have one value: of several, the first one counts. All others are lists. */
const SINGLE = new Set([
  "content-length",
  "content-type",
  "etag",
  "expires",
  "last-modified",
  "location",
  "retry-after",
  "server",
]);

/** @param raw Names and values in turn. */
export function readAnswerHead(statusCode: number, raw: readonly Buffer[]): AnswerHead {
  // Without a prototype: a server may call a header as it likes.
  const headers = Object.create(null) as Record<string, string>;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] as Buffer).toString("latin1").toLowerCase();
    const value = (raw[index + 1] as Buffer).toString("latin1").trimEnd();
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (!SINGLE.has(name)) headers[name] = `${before}, ${value}`;
  }
  return { statusCode, headers };
}
