/** What pages weigh. The heaviest of each kind are opened in a browser; all others have the same parts and less of their own. */
import { listBuiltPages, weighPage } from "./support/page-weights.ts";
import { expect, openPage, test } from "./support/site.ts";

const MAX_SCRIPT_KB = 150;
const MAX_TOTAL_KB = 260;
const MAX_ELEMENTS = 5000;
/** So many by their own script, and so many by their text. */
const HEAVIEST = 6;
/** A page that the menu leads to, and what stands in its static text. */
const OTHER = { address: "/toolhive/guides-cli/tools", text: "thv tools list" };

test("no page has more elements than a phone can lay out", () => {
  const pages = listBuiltPages();

  expect(pages.length).toBeGreaterThan(200);
  expect(pages.filter(({ elements }) => elements > MAX_ELEMENTS)).toEqual([]);
});

test("no first load is over the budget of scripts or of everything", async ({ page }) => {
  test.setTimeout(180_000);
  const pages = [...listBuiltPages()];
  const byScript = pages.toSorted((a, b) => b.scriptBytes - a.scriptBytes).slice(0, HEAVIEST);
  const byText = pages.toSorted((a, b) => b.documentBytes - a.documentBytes).slice(0, HEAVIEST);
  // Pages with pictures, whose weight is in no text.
  const pictured = pages.filter(({ address }) => /\/guides-ui\/|\/quickstart-ui$/.test(address));
  const addresses = new Set(["/", ...[...byScript, ...byText, ...pictured].map(({ address }) => address)]);
  const over: string[] = [];
  for (const address of addresses) {
    const { script, total } = await weighPage(page, address);
    const line = `${address}: ${script.toFixed(1)} kB of script, ${total.toFixed(1)} kB`;
    test.info().annotations.push({ type: "weight", description: line });
    if (script > MAX_SCRIPT_KB || total > MAX_TOTAL_KB) over.push(line);
  }

  expect(over).toEqual([]);
});

test("the text of a page is not in its script: it is fetched once, for a reader who comes from another page", async ({
  page,
}) => {
  const texts: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/assets/text/")) texts.push(request.url());
  });
  await openPage(page, "/toolhive/guides-cli/groups");
  expect(texts).toEqual([]);

  await page.locator(`.theme-doc-sidebar-menu a[href="${OTHER.address}"]`).click();
  await expect(page.locator("article").getByText(OTHER.text).first()).toBeVisible();
  expect(texts).toHaveLength(1);

  await page.goBack();
  await expect(page.locator("article").getByText("thv group create").first()).toBeVisible();
  await page.goForward();
  await expect(page.locator("article").getByText(OTHER.text).first()).toBeVisible();
  expect(texts).toHaveLength(1);
});

test("a link in static text opens its page without loading the site again", async ({ page }) => {
  await openPage(page, "/toolhive/reference/other-programs");
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  const link = page.locator('[data-static] a[href^="/toolhive/"]').first();
  const address = await link.getAttribute("href");

  await link.click();

  await expect(page).toHaveURL(address ?? "");
  expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);
});

test("a page whose text cannot be fetched is loaded as a whole", async ({ page }) => {
  await openPage(page, "/toolhive/guides-cli/groups");
  await page.route("**/assets/text/**", (route) => route.fulfill({ status: 404, body: "gone" }));

  await page.locator(`.theme-doc-sidebar-menu a[href="${OTHER.address}"]`).click();

  await expect(page.locator("article").getByText(OTHER.text).first()).toBeVisible();
});
