/** What of a built file a request is answered with: one of its encodings, a range (RFC 9110). */
import { chooseEncoding } from "@toolhive/http";
import type { Encoding, SiteFile } from "./site-manifest.ts";

/** The encoding of those that the build made; `undefined` is the file itself. */
export function chooseFileEncoding(acceptEncoding: string | undefined, file: SiteFile): Encoding | undefined {
  const made = (["br", "gzip"] as const).filter((encoding) => file.encoded[encoding] !== undefined);
  return chooseEncoding(acceptEncoding, made);
}

/** The entity tag as sent; each encoding has its own. */
export function entityTag(file: SiteFile, encoding: Encoding | undefined): string {
  return encoding === undefined ? `"${file.etag}"` : `"${file.etag}-${encoding}"`;
}

export type RangeChoice = { kind: "whole" } | { kind: "part"; first: number; last: number } | { kind: "unsatisfiable" };

/** One byte range of RFC 9110 §14; several ranges or another unit give the whole file, as the RFC allows. */
export function chooseRange(range: string | undefined, bytes: number): RangeChoice {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range?.trim() ?? "");
  if (match === null) return { kind: "whole" };
  const [, from = "", to = ""] = match;
  if (from === "" && to === "") return { kind: "whole" };
  if (from === "") {
    const length = Math.min(Number(to), bytes);
    return length === 0 ? { kind: "unsatisfiable" } : { kind: "part", first: bytes - length, last: bytes - 1 };
  }
  const first = Number(from);
  const last = to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (first >= bytes) return { kind: "unsatisfiable" };
  return first > last ? { kind: "whole" } : { kind: "part", first, last };
}
