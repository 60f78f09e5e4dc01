/**
 * MiniSearch 7 over the same records, set up as its documentation advises for a site's search and tuned: boosts by field,
 * prefixes and mistakes for longer words, all words first, then any. What our own engine is compared with.
 */
import MiniSearch from "minisearch";
import type { SearchRecord } from "../records/search-record.ts";
import { fold } from "../text/fold.ts";

export class MiniSearchRival {
  readonly #index = new MiniSearch({
    fields: ["title", "heading", "content", "keywords", "category"],
    storeFields: ["url"],
    tokenize: (text) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ""),
    processTerm: (term) => fold(term),
  });

  constructor(records: Iterable<SearchRecord>) {
    let id = 0;
    for (const { hierarchy, type, content, keywords, url } of records) {
      this.#index.add({
        id: id++,
        url,
        title: hierarchy.lvl1 ?? "",
        heading: type === "lvl1" || type === "content" ? "" : (hierarchy[type] ?? ""),
        content: content ?? "",
        keywords: keywords?.join(" ") ?? "",
        category: hierarchy.lvl0 ?? "",
      });
    }
  }

  /** Urls of the best hits. */
  search(query: string, limit = 20): string[] {
    const options = {
      boost: { title: 6, heading: 4, keywords: 4, content: 1, category: 0.5 },
      prefix: (term: string, at: number, terms: string[]) => at === terms.length - 1 && term.length > 0,
      fuzzy: (term: string) => (term.length > 3 ? 0.2 : false),
      weights: { prefix: 0.6, fuzzy: 0.3 },
    } as const;
    const strict = this.#index.search(query, { ...options, combineWith: "AND" });
    const hits = strict.length > 0 ? strict : this.#index.search(query, { ...options, combineWith: "OR" });
    return hits.slice(0, limit).map((hit) => String(hit.url));
  }
}
