/** Writes the documentation as one file, from which the site's MCP server and `thv docs` answer. */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { type DocsFacts, type DocsPage, encodePack, findSections } from "@toolhive/docs/pack";
import type { SiteRecords } from "@toolhive/search";
import type { ListedPage } from "./markdown-twins.ts";

type SearchRecord = SiteRecords["records"][number];

export interface DocsPackOptions {
  /** What the reference's generator says beside the pages. */
  readonly factsFile: string;
  readonly distDir: string;
  /** Without slash at the end. */
  readonly siteUrl: string;
  /** Pages that readers may find. */
  readonly listed: readonly ListedPage[];
  readonly records: readonly SearchRecord[];
}

/** @returns Its bytes. */
export async function writeDocsPack({
  factsFile,
  distDir,
  siteUrl,
  listed,
  records,
}: DocsPackOptions): Promise<number> {
  const facts = JSON.parse(await readFile(factsFile, "utf8")) as DocsFacts & {
    version: string;
  };
  const byPage = new Map<string, SearchRecord[]>();
  for (const record of records) {
    const own = byPage.get(record.url_without_anchor);
    if (own === undefined) byPage.set(record.url_without_anchor, [record]);
    else own.push(record);
  }
  const pages = listed.map(({ address, title, description, markdown }): DocsPage => {
    const own = byPage.get(`${siteUrl}${address}`) ?? [];
    return { path: address, title, description, markdown, sections: findSections(markdown, own) };
  });
  const content = { siteUrl, pages, ...facts, messages: facts.messages.map((one) => locate(one, pages)) };
  const known = new Set(pages.map((page) => `${siteUrl}${page.path}`));
  const bytes = await encodePack(
    content,
    records.filter(({ url_without_anchor: url }) => known.has(url)),
  );
  await writeFile(path.join(distDir, "docs.pack"), bytes);
  return bytes.length;
}

/** With the anchor of the section that the message has on its page. */
function locate<Message extends DocsFacts["messages"][number]>(one: Message, pages: readonly DocsPage[]): Message {
  const page = pages.find((each) => each.path === one.path);
  const anchor = page?.sections.find(({ title }) => title === one.message)?.anchor;
  return anchor === undefined || anchor === null ? one : { ...one, path: `${one.path}#${anchor}` };
}
