/**
 * Packs the built application into one file, so that every form of thv carries it in the same way: a line of JSON that lists
 * the files, then their bytes. What can be compressed is there with gzip only, because browsers ask for Brotli over TLS only.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { writeServiceWorker } from "./service-worker.mjs";

const dist = fileURLToPath(new URL("dist/site", import.meta.url));
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};
const COMPRESSED = new Set([".ico", ".png", ".woff2"]);

const bodies = /** @type {Buffer[]} */ ([]);
let offset = 0;
/** @param {Buffer} body @returns {[offset: number, bytes: number]} */
function add(body) {
  bodies.push(body);
  offset += body.length;
  return [offset - body.length, body.length];
}

const contents = new Map(
  readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [`/${relative(dist, file).replaceAll("\\", "/")}`, readFileSync(file)]),
);
contents.set("/service-worker.js", Buffer.from(writeServiceWorker(contents)));
const files = [...contents].map(([path, bytes]) => {
  const extension = extname(path);
  const type = TYPES[/** @type {keyof typeof TYPES} */ (extension)];
  if (type === undefined) throw new Error(`${path} has an extension without a content type: add it to TYPES.`);
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 16)}"`;
  if (COMPRESSED.has(extension)) return { path, type, etag, identity: add(bytes) };
  return { path, type, etag, gzip: add(gzipSync(bytes, { level: 9 })) };
});
// Put in place whole, for whoever reads it meanwhile.
const pack = fileURLToPath(new URL("dist/app.pack", import.meta.url));
writeFileSync(`${pack}.new`, Buffer.concat([Buffer.from(`${JSON.stringify(files)}\n`), ...bodies]));
renameSync(`${pack}.new`, pack);
