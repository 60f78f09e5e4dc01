/** What the search modal remembers and offers by itself: recent searches, favourites, suggestions where nothing was found. */
import { answerSearches, openSearch, stubHit } from "./support/search.ts";
import { expect, test } from "./support/site.ts";

const RECENT = "__DOCSEARCH_RECENT_SEARCHES__toolhive";

test("at the first favourite, four recent searches remain, without opening the search anew", async ({ page }) => {
  const searches = Array.from({ length: 7 }, (_, number) => stubHit(`number-${number}`));
  await page.addInitScript(
    ([key, value]) => {
      window.localStorage.setItem(key as string, value as string);
    },
    [RECENT, JSON.stringify(searches)],
  );
  await openSearch(page);
  const recent = page.locator(".DocSearch-Hits").filter({ hasText: "Recent" }).locator(".DocSearch-Hit");
  await expect(recent).toHaveCount(7);

  await recent.first().getByRole("button", { name: "Save this search" }).click();

  await expect(page.locator(".DocSearch-Hits").filter({ hasText: "Favorite" }).locator(".DocSearch-Hit")).toHaveCount(
    1,
  );
  await expect(recent).toHaveCount(4);
  await expect(page.getByRole("searchbox")).toBeFocused();
});

test("where nothing is found, names of pages of the answer before are offered, and searched as they stand there", async ({
  page,
}) => {
  const asked = await answerSearches(page, (query) =>
    query.startsWith("x") ? [] : [stubHit("first", "CLI guides / Run / Find servers with the CLI")],
  );
  await openSearch(page);
  await page.keyboard.type("servers");
  await expect(page.locator(".DocSearch-Hit")).toHaveCount(1);
  await page.getByRole("searchbox").fill("xyz");
  const offered = page.locator(".DocSearch-Prefill");
  await expect(offered).toHaveText("Find servers with the CLI");
  expect(await offered.evaluate((button) => getComputedStyle(button).fontFamily)).toBe(
    await page.evaluate(() => getComputedStyle(document.body).fontFamily),
  );

  await offered.click();

  await expect(page.getByRole("searchbox")).toHaveValue("find servers with the cli ");
  await expect(page.locator(".DocSearch-Hit")).toHaveCount(1);
  expect(asked.at(-1)?.query.trim()).toBe("find servers with the cli");
});
