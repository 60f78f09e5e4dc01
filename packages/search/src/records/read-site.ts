/** Records of a built site: every page that may be indexed, in the order of its files. */
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { type HtmlDocument, parseHtml } from "./html-tree.ts";
import { readPage } from "./read-page.ts";
import type { SearchRecord } from "./search-record.ts";

export interface ReadSiteOptions {
  /** Folder of the built site. */
  readonly siteDir: string;
  readonly siteUrl: string;
}

export async function readSite({ siteDir, siteUrl }: ReadSiteOptions): Promise<SearchRecord[]> {
  const entries = await readdir(siteDir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".html"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const site = new SiteRecords(siteUrl);
  for (const file of files) {
    site.addPage(relative(siteDir, file).split(sep).join("/"), parseHtml(await readFile(file, "utf8")));
  }
  return site.records;
}

/** Collects the records of a site's pages, for any reader of them. */
export class SiteRecords {
  readonly records: SearchRecord[] = [];
  readonly #siteUrl: string;
  readonly #addresses = new Set<string>();

  constructor(siteUrl: string) {
    this.#siteUrl = siteUrl;
  }

  /**
   * A page that exists twice under one address (`faq.html`, `faq/index.html`) counts once, and `404.html` not at all.
   *
   * @param file Below the site's folder, with forward slashes.
   * @param document The page as parse5 reads it; it stays as it is.
   */
  addPage(file: string, document: HtmlDocument): void {
    if (file === "404.html" || file.endsWith("/404.html")) return;
    const page = readPage({ document, path: toRoute(file), siteUrl: this.#siteUrl });
    const address = page[0]?.url_without_anchor;
    if (address === undefined || this.#addresses.has(address)) return;
    this.#addresses.add(address);
    this.records.push(...page);
  }
}

function toRoute(file: string): string {
  return `/${file}`
    .replace(/\/index\.html$/, "/")
    .replace(/(.)\/$/, "$1")
    .replace(/\.html$/, "");
}
