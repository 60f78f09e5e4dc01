/** Content negotiation and conditional requests: pure functions over header values (RFC 9110). */
import type { Encoding, SiteFile } from "./site-manifest.ts";

/** The smallest encoding that the client accepts and the build made; `undefined` is the file itself. */
export function chooseEncoding(acceptEncoding: string | undefined, file: SiteFile): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const part of (acceptEncoding ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    if (name !== "") weights.set(name, quality === undefined ? 1 : Number.parseFloat(quality.slice(2)));
  }
  const isAccepted = (name: string) => (weights.get(name) ?? weights.get("*") ?? 0) > 0;
  return (["br", "gzip"] as const).find((encoding) => file.encoded[encoding] !== undefined && isAccepted(encoding));
}

/** The entity tag as sent; each encoding has its own. */
export function entityTag(file: SiteFile, encoding: Encoding | undefined): string {
  return encoding === undefined ? `"${file.etag}"` : `"${file.etag}-${encoding}"`;
}

/** Whether `If-None-Match` names the tag (weak comparison). */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === tag);
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
