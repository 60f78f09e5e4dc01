/** Records of a built site: every page that may be indexed, in the order of its files. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { readPage } from "./read-page.ts";
import type { SearchRecord } from "./search-record.ts";

export interface ReadSiteOptions {
  /** Folder of the built site. */
  readonly siteDir: string;
  readonly siteUrl: string;
}

/** Reads the site page by page; a page that exists twice under one address (`faq.html`, `faq/index.html`) counts once. */
export async function readSite({ siteDir, siteUrl }: ReadSiteOptions): Promise<SearchRecord[]> {
  const entries = await readdir(siteDir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".html") && entry.name !== "404.html")
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const seen = new Set<string>();
  const records: SearchRecord[] = [];
  for (const file of files) {
    const path = pathOf(file.slice(siteDir.replace(/[\\/]+$/, "").length));
    const page = readPage({ html: await readFile(file, "utf8"), path, siteUrl });
    const url = page[0]?.url_without_anchor;
    if (url === undefined || seen.has(url)) continue;
    seen.add(url);
    records.push(...page);
  }
  return records;
}

function pathOf(file: string): string {
  return file
    .replaceAll("\\", "/")
    .replace(/\/index\.html$/, "/")
    .replace(/(.)\/$/, "$1")
    .replace(/\.html$/, "");
}
