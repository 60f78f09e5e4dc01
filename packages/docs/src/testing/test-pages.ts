/** Pages as Markdown become pages and records, as a build makes them from HTML. */
import { HIERARCHY_LEVELS, type SearchRecord } from "@toolhive/search/offline";
import type { DocsPage } from "../pack/docs-content.ts";
import { findSections } from "../pack/find-sections.ts";

export const TEST_SITE_URL = "https://docs.example.org";

export interface TestPage {
  readonly path: string;
  readonly description: string;
  /** Begins with its title. */
  readonly markdown: string;
}

export function toPage(page: TestPage): DocsPage {
  const title = /^# (.+)$/m.exec(page.markdown)?.[1] ?? "";
  return { ...page, title, sections: findSections(page.markdown, toRecords(page)) };
}

type Draft = Pick<SearchRecord, "type" | "content" | "anchor">;

export function toRecords({ path, description, markdown }: TestPage): SearchRecord[] {
  const levels = new Map<string, string>();
  const records: SearchRecord[] = [];
  let anchor: string | null = null;
  const add = (draft: Draft): void => {
    const names = HIERARCHY_LEVELS.map((level) => [level, levels.get(level) ?? null]);
    const page = `${TEST_SITE_URL}${path}`;
    records.push({
      ...draft,
      objectID: `${records.length}-${page}`,
      url: draft.anchor === null ? page : `${page}#${draft.anchor}`,
      url_without_anchor: page,
      hierarchy: Object.fromEntries(names),
      weight: { pageRank: 1, level: 0, position: records.length },
      language: "en",
    } as SearchRecord);
  };
  for (const block of markdown.split("\n\n")) {
    const [, marks = "", title = ""] = /^(#+) (.+)$/.exec(block) ?? [];
    if (marks === "") {
      add({ type: "content", content: block.replace(/\s+/g, " "), anchor });
      continue;
    }
    const level = `lvl${marks.length}` as "lvl1";
    for (const deeper of HIERARCHY_LEVELS.slice(marks.length)) levels.delete(deeper);
    levels.set(level, title.replaceAll("`", ""));
    anchor = marks === "#" ? null : title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    add({ type: level, content: marks === "#" ? description : null, anchor });
  }
  return records;
}
