/**
 * Decides what an address means: a file, a redirect, not found or not an address at all. No input or output.
 *
 * Policy: a page answers with and without a trailing slash (both exist in the specification); `.html` and
 * `/index.html` redirect to the page itself; everything else is exact.
 */
import { routeKey, type SiteFile, type SiteManifest } from "./site-manifest.ts";

/** Longer addresses are refused; a search query is 64 characters and the longest route below 100. */
const MAX_TARGET_LENGTH = 8192;

export type Resolution =
  /** `twin` is the page as Markdown, with the path of its own. */
  | {
      readonly kind: "file";
      readonly file: SiteFile;
      readonly twin?: { readonly path: string; readonly file: SiteFile };
    }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "not-found"; readonly file: SiteFile }
  | { readonly kind: "bad-request"; readonly reason: string }
  | { readonly kind: "too-long" };

/** @param target The request target as received: path and query, percent-encoded. */
export function resolveRequest(target: string, manifest: SiteManifest): Resolution {
  if (target.length > MAX_TARGET_LENGTH) return { kind: "too-long" };
  if (!target.startsWith("/")) return { kind: "bad-request", reason: "The address must begin with a slash." };
  const [rawPath = "/", ...queryParts] = target.split("?");
  const query = queryParts.length === 0 ? "" : `?${queryParts.join("?")}`;

  let path: string;
  try {
    path = decodeURIComponent(rawPath);
  } catch {
    return { kind: "bad-request", reason: "The address holds an invalid percent-encoding." };
  }
  if (path.includes("\0")) return { kind: "bad-request", reason: "The address holds a null character." };

  const { files, redirects, notFound } = manifest;
  const key = routeKey(path);
  const own = Object.hasOwn(files, key) ? files[key] : undefined;
  if (own !== undefined) {
    const twinKey = `${key}.md`;
    const twin = own.type.startsWith("text/html") && Object.hasOwn(files, twinKey) ? files[twinKey] : undefined;
    return twin === undefined
      ? { kind: "file", file: own }
      : { kind: "file", file: own, twin: { path: encodeURI(twinKey), file: twin } };
  }

  const stripped = /^(.*?)(?:\/index)?\.html$/.exec(path)?.[1];
  const page = stripped === undefined ? undefined : routeKey(stripped);
  if (page !== undefined && Object.hasOwn(files, page)) {
    return { kind: "redirect", location: encodeURI(page) + query };
  }
  const moved = Object.hasOwn(redirects, key) ? redirects[key] : undefined;
  if (moved !== undefined) return { kind: "redirect", location: moved + query };
  return { kind: "not-found", file: notFound };
}
