/** Addresses of resources in a group: a URI that several servers could mean is shown once for each, below its server's name. */
import { formatSkeleton } from "@toolhive/core";
import { readString } from "../../messages/json-rpc.ts";
import { type Edit, findElements, findMembers, findPath } from "../../messages/json-scanner.ts";

const SCHEME = "mcp-group";
const PREFIX = `${SCHEME}://`;
/** Characters before the first colon of a URI that are compared with the scheme. */
const MAX_SCHEME = 64;

/** The URI of one server's resource, or its template. */
export function formatGroupUri(server: string, own: string): string {
  return `${PREFIX}${server}/${own}`;
}

/** @returns `undefined` for a URI of a server. */
export function parseGroupUri(uri: string): { readonly server: string; readonly own: string } | undefined {
  if (!uri.startsWith(PREFIX)) return undefined;
  const end = uri.indexOf("/", PREFIX.length);
  if (end < 0) return undefined;
  return { server: uri.slice(PREFIX.length, end), own: uri.slice(end + 1) };
}

/** Whether a server's own URI is such an address, or looks like one: it would lead to another server. */
export function isGroupUri(uri: string): boolean {
  const scheme = /^([^:\uff1a\ua789\u2236]*)[:\uff1a\ua789\u2236]/u.exec(uri.slice(0, MAX_SCHEME))?.[1];
  return scheme !== undefined && formatSkeleton(scheme.trim()) === formatSkeleton(SCHEME);
}

/** Characters of a template or a URI that are compared. */
const MAX_LENGTH = 8192;

/**
 * A template of URIs (RFC 6570). Each expression counts as any text: servers disagree about the rest, and the worst that
 * follows is that a server says it has no such resource.
 */
export class UriTemplate {
  readonly #text: string;
  readonly #literals: readonly string[];

  constructor(text: string) {
    this.#text = text;
    this.#literals = text.length > MAX_LENGTH ? [text] : text.split(/\{[^{}]*\}/);
  }

  /** Whether a URI could have been made from it. One pass, whatever the template. */
  fits(uri: string): boolean {
    const literals = this.#literals;
    if (literals.length === 1) return this.#text === uri;
    if (uri.length > MAX_LENGTH) return false;
    const { first, last } = this;
    if (!uri.startsWith(first) || !uri.endsWith(last) || uri.length < first.length + last.length) return false;
    let at = first.length;
    for (const literal of literals.slice(1, -1)) {
      const found = uri.indexOf(literal, at);
      if (found < 0) return false;
      at = found + literal.length;
    }
    return at <= uri.length - last.length;
  }

  /** Whether one URI may be made from both. Only beginning and end are compared, so it is sometimes said of two where none is. */
  overlaps(other: UriTemplate): boolean {
    if (this.#literals.length === 1) return other.fits(this.#text);
    if (other.#literals.length === 1) return this.fits(other.#text);
    const isSameStart = this.first.startsWith(other.first) || other.first.startsWith(this.first);
    return isSameStart && (this.last.endsWith(other.last) || other.last.endsWith(this.last));
  }

  get first(): string {
    return this.#literals[0] ?? "";
  }

  get last(): string {
    return this.#literals.at(-1) ?? "";
  }
}

/** Replaces the server's own URI in the contents of a resource by the one that the client asked for. */
export function showUris(text: Buffer, result: number, uri: string): Edit[] {
  const contents = findPath(text, result, ["contents"]);
  if (contents === undefined || !uri.startsWith(PREFIX)) return [];
  return (findElements(text, contents.start) ?? []).flatMap((element) => {
    const span = findMembers(text, element.start, ["uri"])?.spans[0];
    const own = readString(text, span);
    const isMeant = span !== undefined && own !== undefined && uri.endsWith(`/${own}`);
    return isMeant ? [{ span, bytes: Buffer.from(JSON.stringify(uri)) }] : [];
  });
}
