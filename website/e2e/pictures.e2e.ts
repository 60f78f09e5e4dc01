/** Pictures of the application: a frame around them, and a dialog that shows them larger, also on a phone. */
import type { Page } from "@playwright/test";
import { expect, openPage, test } from "./support/site.ts";

const GUIDE = "/toolhive/guides-ui/run-mcp-servers";
const PICTURE = ".picture--screen .picture__open img:visible";

async function measureBoth(page: Page): Promise<{ page: number; dialog: number }> {
  await openPage(page, GUIDE);
  const picture = page.locator(PICTURE).first();
  await picture.scrollIntoViewIfNeeded();
  const inPage = (await picture.boundingBox())?.width ?? 0;
  await picture.click();
  const enlarged = page.locator("dialog[open] img:visible");
  await expect(enlarged).toBeVisible();
  return { page: inPage, dialog: (await enlarged.boundingBox())?.width ?? 0 };
}

for (const [device, width, factor] of [
  ["a phone", 360, 2],
  ["a desk", 1280, 1.3],
] as const) {
  test(`on ${device} the dialog of a picture shows it larger than the page does`, async ({ page }) => {
    await page.setViewportSize({ width, height: 740 });

    const measured = await measureBoth(page);

    expect(measured.dialog).toBeGreaterThan(factor * measured.page);
    await page.locator("dialog[open]").getByRole("button", { name: "Close" }).click();
    await expect(page.locator("dialog[open]")).toHaveCount(0);
  });
}

test("a picture of the application has a frame, and a drawing has none", async ({ page }) => {
  await openPage(page, GUIDE);
  const readBorder = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((picture) => getComputedStyle(picture).borderTopWidth);

  expect(await readBorder(PICTURE)).toBe("1px");
  await openPage(page, "/toolhive/");
  expect(await readBorder(".picture__open img")).toBe("0px");
});
