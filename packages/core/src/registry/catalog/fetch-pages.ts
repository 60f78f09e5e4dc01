/**
 * Reads the list of a registry's API (`/v0.1/servers`) page by page, each asked for with the cursor of the page before. Bounded in
 * pages, bytes and time, whatever the registry answers.
 */
import { MAX_ENTRIES } from "../registry-schema.ts";
import {
  createUnavailableError,
  type FetchedRegistry,
  type FetchRegistryOptions,
  fetchRegistry,
  UnexpectedStatus,
} from "./fetch-registry.ts";

/** The official registry sends at most 100. */
const PAGE_SIZE = 100;
export const MAX_PAGES = 500;
/** Bytes of all pages together. */
export const MAX_PAGES_BYTES = 32 * 1024 * 1024;
/** Milliseconds for all pages. */
const PAGES_TIMEOUT_MS = 120_000;
const MAX_CURSOR_LENGTH = 2_048;

/** A text without the slashes at its end. */
export function cutSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}

/** The list of an API, when the address is one or the root of one. */
export function findListAddress(location: string): URL | undefined {
  const url = new URL(location);
  const path = cutSlashes(url.pathname);
  if (/\/v0(?:\.\d+)?\/servers$/.test(path)) url.pathname = path;
  else if (/\/v0(?:\.\d+)?$/.test(path)) url.pathname = `${path}/servers`;
  else if (path === "") url.pathname = "/v0.1/servers";
  else return undefined;
  return url;
}

export interface FetchPagesOptions extends FetchRegistryOptions {
  readonly maxPages?: number;
  readonly maxBytes?: number;
}

interface Page {
  readonly servers: readonly unknown[];
  readonly next: string | undefined;
}

/**
 * What an address answers: the file as it is; all pages as one when the address is an API's list or its answer is a page.
 *
 * @throws {ThvError} `REGISTRY_UNAVAILABLE` saying what happened at which address.
 */
export async function fetchWhole(location: string, options: FetchPagesOptions): Promise<FetchedRegistry> {
  const list = findListAddress(location);
  if (list) return await fetchPages(list, undefined, options);
  const fetched = await fetchRegistry(location, options);
  const first = fetched.kind === "content" ? readPage(fetched.text) : undefined;
  if (first?.next === undefined) return fetched;
  return await fetchPages(new URL(location), first, options);
}

async function fetchPages(list: URL, first: Page | undefined, options: FetchPagesOptions): Promise<FetchedRegistry> {
  const { maxPages = MAX_PAGES, maxBytes = MAX_PAGES_BYTES, timeoutMs = PAGES_TIMEOUT_MS } = options;
  const deadline = Date.now() + timeoutMs;
  const servers: unknown[] = [];
  const cursors = new Set<string>();
  let bytes = 0;
  let page = first;
  for (let count = 1; ; count++) {
    if (!page) {
      const left = deadline - Date.now();
      if (left <= 0) throw createUnavailableError(list.href, `its pages took more than ${timeoutMs / 1000} s`);
      const text = await fetchPage(list, [...cursors].at(-1), { ...options, timeoutMs: Math.min(left, timeoutMs) });
      bytes += text.length;
      if (bytes > maxBytes) throw createUnavailableError(list.href, `its pages have more than ${maxBytes} bytes`);
      page = readPage(text);
      if (!page) throw createUnavailableError(list.href, `page ${count} is not a list of servers`);
    }
    servers.push(...page.servers);
    const { next } = page;
    if (next === undefined) break;
    // The reader of the entries, which counts one more than it reads, reports what is omitted.
    if (servers.length > MAX_ENTRIES) break;
    if (cursors.has(next) || next.length > MAX_CURSOR_LENGTH) {
      throw createUnavailableError(list.href, `page ${count} leads back to a page that was read`);
    }
    if (count >= maxPages) throw createUnavailableError(list.href, `it has more than ${maxPages} pages`);
    cursors.add(next);
    page = undefined;
  }
  return { kind: "content", text: JSON.stringify({ servers, metadata: { count: servers.length } }), etag: undefined };
}

async function fetchPage(list: URL, cursor: string | undefined, options: FetchRegistryOptions): Promise<string> {
  const url = new URL(list);
  const { searchParams } = url;
  if (!searchParams.has("limit")) searchParams.set("limit", String(PAGE_SIZE));
  if (!searchParams.has("version")) searchParams.set("version", "latest");
  if (cursor !== undefined) searchParams.set("cursor", cursor);
  const fetched = await fetchRegistry(url.href, { ...options, etag: undefined, lastModified: undefined });
  return fetched.kind === "content" ? fetched.text : "";
}

function readPage(text: string): Page | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The reader of the registry reports the problem.
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("servers" in value)) return undefined;
  // A registry without servers answers with null.
  const servers = value.servers ?? [];
  if (!Array.isArray(servers)) return undefined;
  const metadata = "metadata" in value && typeof value.metadata === "object" ? value.metadata : undefined;
  const { nextCursor, next_cursor } = (metadata ?? {}) as { nextCursor?: unknown; next_cursor?: unknown };
  const next = nextCursor ?? next_cursor;
  return { servers, next: typeof next === "string" && next !== "" ? next : undefined };
}

/**
 * One version of one server, which a list of the latest versions does not have.
 *
 * @returns `undefined` when there is none, or the address is not that of an API.
 */
export async function fetchVersion(
  location: string,
  { name, version }: { readonly name: string; readonly version: string },
  options: FetchRegistryOptions,
): Promise<unknown> {
  const url = findListAddress(location);
  if (!url) return undefined;
  url.pathname += `/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
  url.search = "";
  try {
    const fetched = await fetchRegistry(url.href, { ...options, etag: undefined, lastModified: undefined });
    return fetched.kind === "content" ? JSON.parse(fetched.text) : undefined;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause instanceof UnexpectedStatus && cause.status === 404) return undefined;
    throw error;
  }
}
