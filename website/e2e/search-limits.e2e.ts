/** The constants of the search modal: how much it shows, keeps, sends and waits. Searches are answered by the test. */
import type { Page } from "@playwright/test";
import { answerSearches, openSearch, QUERIES, stubHit } from "./support/search.ts";
import { expect, test } from "./support/site.ts";

const numbered = (count: number, group?: string) =>
  Array.from({ length: count }, (_, at) => stubHit(`${group ?? "n"}${at + 1}`, group));

/** Puts stored searches into the browser before the page reads them. */
async function store(page: Page, kind: "RECENT" | "FAVORITE", count: number): Promise<void> {
  const key = `__DOCSEARCH_${kind}_SEARCHES__toolhive`;
  await page.addInitScript(
    ([name, value]) => localStorage.setItem(name as string, value as string),
    [key, JSON.stringify(numbered(count, kind))],
  );
}

test("a group shows five results and carries the name of its section", async ({ page }) => {
  await answerSearches(page, () => [...numbered(8, "Guides"), ...numbered(3, "Reference")]);
  await openSearch(page);

  await page.keyboard.type("x");

  await expect(page.locator(".DocSearch-Hit-source")).toHaveText(["Guides", "Reference"]);
  await expect(page.locator(".DocSearch-Hits").nth(0).locator(".DocSearch-Hit")).toHaveCount(5);
  await expect(page.locator(".DocSearch-Hits").nth(1).locator(".DocSearch-Hit")).toHaveCount(3);
});

test("seven recent searches are shown, and four beside favourites", async ({ page, context }) => {
  await store(page, "RECENT", 9);
  await openSearch(page);
  await expect(page.locator(".DocSearch-Hit")).toHaveCount(7);

  const other = await context.newPage();
  await store(other, "RECENT", 9);
  await store(other, "FAVORITE", 2);
  await openSearch(other);

  await expect(other.locator(".DocSearch-Hits").nth(0).locator(".DocSearch-Hit")).toHaveCount(4);
  await expect(other.locator(".DocSearch-Hits").nth(1).locator(".DocSearch-Hit")).toHaveCount(2);
});

test("ten favourites are shown, and a recent search becomes one by its star", async ({ page, context }) => {
  await store(page, "FAVORITE", 12);
  await openSearch(page);
  await expect(page.locator(".DocSearch-Hit")).toHaveCount(10);

  const other = await context.newPage();
  await store(other, "FAVORITE", 0);
  await store(other, "RECENT", 1);
  await openSearch(other);
  await other.getByTitle("Save this search").click();

  await expect(other.locator(".DocSearch-Hit-source")).toHaveText("Favorite");
  expect(await other.evaluate(() => localStorage.getItem("__DOCSEARCH_FAVORITE_SEARCHES__toolhive"))).toContain(
    "RECENT1",
  );
});

test("the input takes 64 characters at most", async ({ page }) => {
  const asked = await answerSearches(page, () => numbered(1));
  await openSearch(page);

  await page.keyboard.type("a".repeat(70));

  await expect(page.getByRole("searchbox")).toHaveValue("a".repeat(64));
  await expect.poll(() => asked.at(-1)?.query).toBe("a".repeat(64));
  expect(asked.some(({ query }) => query.length > 64)).toBe(false);
});

for (const [width, words] of [
  [1280, 10],
  [769, 10],
  [768, 5],
  [360, 5],
] as const) {
  test(`at ${width} pixels snippets of ${words} words are asked for`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    const asked = await answerSearches(page, () => numbered(1));
    await openSearch(page);

    await page.keyboard.type("x");

    await expect.poll(() => asked.length).toBeGreaterThan(0);
    expect(asked[0]?.attributesToSnippet).toContain(`content:${words}`);
    expect(asked[0]?.attributesToSnippet?.every((name) => name.endsWith(`:${words}`))).toBe(true);
  });
}

test("a query without results suggests up to three of the sections that an earlier one found", async ({ page }) => {
  const sections = ["Guides", "Reference", "Tutorials", "Concepts"];
  await answerSearches(page, (query) => (query === "x" ? sections.flatMap((name) => numbered(1, name)) : []));
  await openSearch(page);
  await page.keyboard.type("x");
  await expect(page.locator(".DocSearch-Hit-source")).toHaveCount(4);

  await page.keyboard.type("zq");

  await expect(page.locator(".DocSearch-NoResults")).toContainText('No results for "xzq"');
  await expect(page.locator(".DocSearch-Prefill")).toHaveText(["Guides", "Reference", "Tutorials"]);
  await page.locator(".DocSearch-Prefill").first().click();
  await expect(page.getByRole("searchbox")).toHaveValue("guides ");
});

// Not before 300 ms (spec §9).
test("a slow service marks the modal as stalled", async ({ page }) => {
  await page.clock.install();
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(QUERIES, async (route) => {
    await held;
    await route.fulfill({ json: { results: [{ hits: [], nbHits: 0, nbPages: 0, page: 0, query: "x" }] } });
  });
  await openSearch(page);
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
  const asked = page.waitForRequest(QUERIES);

  await page.keyboard.type("x");
  await asked;
  await page.clock.runFor(299);
  await expect(page.locator(".DocSearch-Container--Stalled")).toHaveCount(0);
  await page.clock.runFor(1);

  await expect(page.locator(".DocSearch-Container--Stalled")).toHaveCount(1);
  answer();
  await page.clock.resume();
  await expect(page.locator(".DocSearch-Container--Stalled")).toHaveCount(0);
});

interface SentEvent {
  readonly eventType: string;
  readonly objectIDs: readonly string[];
  readonly queryID?: string;
}

/** The requests with events that a page sent so far, each with its events. */
async function watchEvents(page: Page): Promise<readonly (readonly SentEvent[])[]> {
  const sent: (readonly SentEvent[])[] = [];
  await page.route("**/1/events*", (route) => {
    sent.push((JSON.parse(route.request().postData() ?? "{}") as { events: SentEvent[] }).events);
    return route.fulfill({ json: { status: 200, message: "OK" } });
  });
  return sent;
}

test("shown hits are reported 400 ms after the last change, in events of at most 20", async ({ page }) => {
  await page.clock.install();
  const sent = await watchEvents(page);
  await answerSearches(page, (query) =>
    ["A", "B", "C", "D", "E"].flatMap((name) => numbered(5, `${name} of ${query}`)),
  );
  await openSearch(page);
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));

  // The library waits 0 ms for further changes before its 400 ms begin, and a timer of 0 ms is one of 1 ms in some
  // orders of events, so the edges are 10 ms wide.
  await page.keyboard.type("x");
  await expect(page.locator(".DocSearch-Hit-source").last()).toHaveText("E of x");
  await page.clock.runFor(390);
  await page.keyboard.type("y");
  await expect(page.locator(".DocSearch-Hit-source").last()).toHaveText("E of xy");
  await page.clock.runFor(390);
  expect(sent).toEqual([]);
  await page.clock.runFor(20);

  const views = () => sent.flat().filter(({ eventType }) => eventType === "view");
  await expect.poll(() => views().map(({ objectIDs }) => objectIDs.length)).toEqual([20, 5]);
});

test("a chosen hit is reported with the id of its query", async ({ page }) => {
  const sent = await watchEvents(page);
  await answerSearches(page, () => numbered(3));
  await openSearch(page);
  await page.keyboard.type("x");
  await expect(page.locator(".DocSearch-Hit")).toHaveCount(3);

  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");

  await expect
    .poll(() => sent.flat().filter(({ eventType }) => eventType === "click"))
    .toMatchObject([{ objectIDs: ["n2"], queryID: "1".repeat(32) }]);
});
