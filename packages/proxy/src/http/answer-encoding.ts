/** Whether what a server sends can be read as UTF-8 by everybody: some clients decode by the header, or by the first bytes. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";

/** In these, the characters of JSON itself are the same bytes. */
const ASCII_CHARSETS: ReadonlySet<string> = new Set([
  "ascii",
  "iso-8859-1",
  "latin1",
  "us-ascii",
  "utf-8",
  "utf8",
  "windows-1252",
]);
/** Each one of them, also in the form of RFC 2231. */
const CHARSET = /charset[\s*\d]*=\s*"?([^";,\s]*)/gi;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Whether the header names no character set in which the bytes would be other JSON. */
export function saysUtf8({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const named = [...(headers["content-type"] ?? "").matchAll(CHARSET)];
  return named.every(([, charset = ""]) => ASCII_CHARSETS.has(charset.toLowerCase()));
}

/** @returns The text without a mark at its beginning; `undefined` for what some client would decode as UTF-16 or UTF-32. */
export function readUtf8(body: Buffer): Buffer | undefined {
  if (!isUtf8(body) || body.includes(0)) return undefined;
  const hasMark = body[0] === BYTE_ORDER_MARK[0] && body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return hasMark ? body.subarray(BYTE_ORDER_MARK.length) : body;
}
