/**
 * What the elements look like: /theme-preview in both modes against the pictures in `appearance.e2e.ts-snapshots`, one for
 * each section, so that a difference names its place. Record them again after a wanted change:
 * `npx playwright test --config website/playwright.config.ts appearance.e2e --update-snapshots`.
 * Fonts come from the site and motion is off; pictures, whose words are in the system's font, are left out. A pixel may differ a little in
 * colour and one in a hundred a lot, which is what another version of Chromium does to the edges of letters.
 */
import { expect, openPage, test } from "./support/site.ts";

const SECTIONS = ["text", "lists", "tables", "admonitions", "details", "tabs", "code", "cards", "steps"];

// Higher than every section: for a taller one the window would be resized, after which Chromium may draw no more frames.
test.use({ viewport: { width: 1280, height: 2400 } });
// Ten pictures, each taken until two in a row are the same.
test.describe.configure({ timeout: 300_000 });

for (const colorScheme of ["light", "dark"] as const) {
  test(`each element of the theme looks as it did, in the ${colorScheme} mode`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    // The site gives up a font that comes late (font-display: optional); here it waits for it.
    await page.route("**/*.css", async (route) => {
      const response = await route.fetch();
      const css = await response.text();
      await route.fulfill({ response, body: css.replaceAll("font-display:optional", "font-display:block") });
    });
    await openPage(page, "/theme-preview");
    await page.evaluate(() => document.fonts.ready);
    // Each section becomes one box, from its heading to the next.
    await page.evaluate(() => {
      // It stays at the top of the screen, and would cover the beginning of what is taller than that.
      document.querySelector(".navbar")?.remove();
      for (const heading of document.querySelectorAll(".theme-doc-markdown > h2")) {
        const box = document.createElement("div");
        box.setAttribute("data-section", heading.id);
        const parts: Element[] = [heading];
        for (let next = heading.nextElementSibling; next && next.tagName !== "H2"; next = next.nextElementSibling)
          parts.push(next);
        heading.before(box);
        box.append(...parts);
      }
    });

    for (const section of SECTIONS) {
      const box = page.locator(`[data-section="${section}"]`);
      await box.scrollIntoViewIfNeeded();
      await expect.soft(box).toHaveScreenshot(`${section}-${colorScheme}.png`, {
        animations: "disabled",
        caret: "hide",
        maxDiffPixelRatio: 0.01,
        threshold: 0.25,
      });
    }
  });
}
