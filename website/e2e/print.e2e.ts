/** Pages on paper: nothing of the chrome, and all that is folded, cut off or behind a tab on the screen. */
import type { Page } from "@playwright/test";
import { expect, openPage, test } from "./support/site.ts";

/** What the browser does before it prints: its event comes first, the styles of paper after it. */
async function preparePrint(page: Page): Promise<void> {
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
}

test("print shows the text without the chrome", async ({ page }) => {
  await openPage(page, "/toolhive/guides-cli/run-mcp-servers");

  await preparePrint(page);

  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Main" })).toBeHidden();
  await expect(page.getByRole("contentinfo")).toBeHidden();
});

test("print shows what is folded, and folds it again afterwards", async ({ page }) => {
  await openPage(page, "/toolhive/guides-cli/client-configuration");
  const folded = page.locator("article details");
  const text = folded.first().locator("p").first();
  await expect(text).toBeHidden();

  await preparePrint(page);

  await expect(text).toBeVisible();
  expect(await folded.evaluateAll((all) => all.filter((each) => !(each as HTMLDetailsElement).open).length)).toBe(0);
  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await expect(text).toBeHidden();
});

test("print shows every panel of a group of tabs, below the name of its tab", async ({ page }) => {
  await openPage(page, "/toolhive/guides-cli/client-configuration");
  const panels = page.locator("article [role=tabpanel]");
  const count = await panels.count();
  expect(count).toBeGreaterThan(2);

  await preparePrint(page);

  for (let number = 0; number < count; number++) await expect(panels.nth(number)).toBeVisible();
  const names = await panels.evaluateAll((all) => all.map((panel) => getComputedStyle(panel, "::before").content));
  expect(names.filter((name) => name === "none" || name === '""')).toEqual([]);
});

test("print breaks long lines of code, so that none is cut off", async ({ page }) => {
  await page.setViewportSize({ width: 700, height: 900 });
  await openPage(page, "/toolhive/guides-cli/api-server");
  const measureCut = () =>
    page
      .locator("article pre")
      .evaluateAll((all) => all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length);
  expect(await measureCut()).toBeGreaterThan(0);

  await preparePrint(page);

  expect(await measureCut()).toBe(0);
});
