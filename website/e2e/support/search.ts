/** The search modal in a browser: opening it, and answers of a service that a test makes up. */
import type { Page } from "@playwright/test";
import { expect, openPage, siteOrigin } from "./site.ts";

export const QUERIES = "**/1/indexes/*/queries*";

/** Opens a page and the modal on it, with the focus in its input. */
export async function openSearch(page: Page, path = "/toolhive/tutorials"): Promise<void> {
  await openPage(page, path);
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox")).toBeFocused();
}

export interface StubHit {
  readonly objectID: string;
  readonly url: string;
  readonly type: "lvl1";
  readonly content: null;
  readonly hierarchy: Readonly<Record<string, string | null>>;
}

/** A page's hit as the service sends it, without what is marked. */
export function stubHit(name: string, group = "Guides"): StubHit {
  return {
    objectID: name,
    url: `${siteOrigin()}/toolhive/faq#${name}`,
    type: "lvl1",
    content: null,
    hierarchy: { lvl0: group, lvl1: `Page ${name}`, lvl2: null, lvl3: null, lvl4: null, lvl5: null, lvl6: null },
  };
}

export interface AskedSearch {
  readonly query: string;
  readonly attributesToSnippet?: readonly string[];
}

/** Answers every search from here on. @returns What was asked so far, oldest first. */
export async function answerSearches(
  page: Page,
  hitsFor: (query: string) => readonly StubHit[],
): Promise<readonly AskedSearch[]> {
  const asked: AskedSearch[] = [];
  await page.route(QUERIES, (route) => {
    const { requests } = JSON.parse(route.request().postData() ?? "{}") as { requests: AskedSearch[] };
    asked.push(...requests);
    const results = requests.map(({ query }) => {
      const hits = hitsFor(query).map((hit) => {
        const { lvl0, lvl1 } = hit.hierarchy;
        const marked = { hierarchy: { lvl0: { value: lvl0 }, lvl1: { value: lvl1 } } };
        return { ...hit, _highlightResult: marked, _snippetResult: marked };
      });
      return { hits, nbHits: hits.length, nbPages: 1, page: 0, hitsPerPage: 20, query, queryID: "1".repeat(32) };
    });
    return route.fulfill({ json: { results } });
  });
  return asked;
}
