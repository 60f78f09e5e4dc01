/**
 * What the build hands to the server: every address of the site, the file behind it and the headers that depend on
 * the build. The server answers from this table alone, so that no path of a request ever reaches the file system.
 */

export type Encoding = "br" | "gzip";

export interface SiteFile {
  /** Relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly type: string;
  /** Strong entity tag of the uncompressed content, without quotes. */
  readonly etag: string;
  readonly bytes: number;
  /** Sizes of the compressed siblings (`.br`, `.gz`), bytes. */
  readonly encoded: Partial<Record<Encoding, number>>;
  /** The name changes with the content, so that a browser may keep it for ever. */
  readonly isImmutable: boolean;
}

export interface SiteManifest {
  /** Request path (decoded, no trailing slash except `/`) to file. */
  readonly files: Readonly<Record<string, SiteFile>>;
  /** Old address to new one; answered with a permanent redirect. */
  readonly redirects: Readonly<Record<string, string>>;
  readonly notFound: SiteFile;
  readonly contentSecurityPolicy: string;
}

/** The manifest's key for a path: without `/` at the end. */
export function routeKey(path: string): string {
  // Anybody may request any path: a regular expression would start again at every slash.
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return end === 0 ? "/" : path.slice(0, end);
}
