/** Compresses the built files and describes each of them for the server. */
import { createHash } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { routeKey, type SiteFile } from "../server/site-manifest.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".xml": "application/xml; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".yaml": "application/yaml; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".png": "image/png",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};
const COMPRESSIBLE = new Set([".html", ".js", ".css", ".json", ".xml", ".svg", ".txt", ".md", ".yaml", ".webmanifest"]);

/** Smaller files gain nothing from a second copy. */
const MIN_COMPRESSED_BYTES = 600;

/**
 * The step below the strongest: 2 % larger in a third of the time, which was a third of the whole build. Scripts and styles,
 * which every page loads, have the strongest.
 */
const BROTLI_QUALITY = 10;
const STRONGEST = new Set([".js", ".css"]);
/** A tenth larger in a twentieth of the time: for readers on the machine that builds, who have no line to save. */
const LIGHT_QUALITY = 5;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Paths of all files below a folder, relative, with forward slashes; without the compressed siblings of an earlier run. */
export async function listSiteFiles(siteDir: string): Promise<string[]> {
  const entries = await readdir(siteDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
    .map((entry) => path.relative(siteDir, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .sort();
}

/**
 * Writes the compressed siblings of a file, when it is of a kind that gains by them.
 * @param options.isLight Whether they may be larger than necessary, and are written sooner.
 */
export async function compressFile(
  siteDir: string,
  relative: string,
  content: Buffer,
  { isLight = false }: { readonly isLight?: boolean } = {},
): Promise<SiteFile> {
  const absolute = path.join(siteDir, relative);
  const extension = path.extname(relative);
  const encoded: { br?: number; gzip?: number } = {};
  if (COMPRESSIBLE.has(extension) && content.length >= MIN_COMPRESSED_BYTES) {
    const quality = STRONGEST.has(extension) ? constants.BROTLI_MAX_QUALITY : BROTLI_QUALITY;
    const [br, gz] = await Promise.all([
      brotli(content, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: isLight ? LIGHT_QUALITY : quality,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        },
      }),
      gzipped(content, { level: 9 }),
    ]);
    await Promise.all([writeFile(`${absolute}.br`, br), writeFile(`${absolute}.gz`, gz)]);
    encoded.br = br.length;
    encoded.gzip = gz.length;
  }
  return {
    path: relative,
    type: TYPES[extension] ?? "application/octet-stream",
    etag: createHash("sha256").update(content).digest("base64url").slice(0, 22),
    bytes: content.length,
    encoded,
    isImmutable: /^assets\/.*[.-][0-9a-f]{8,}\./.test(relative),
  };
}

/** The address a file answers at: pages by their route, everything else by its path. */
export function toAddress(relative: string): string {
  const page = /^(?:(.*)\/)?index\.html$/.exec(relative);
  return page === null ? `/${relative}` : routeKey(`/${page[1] ?? ""}`);
}
