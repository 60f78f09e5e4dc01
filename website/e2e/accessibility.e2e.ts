/** WCAG 2.2 AA by axe: no violation on any page, in both colour modes, on a phone and on a desktop. */
import { accessibilityViolations } from "./support/axe.ts";
import { expect, openPage, test } from "./support/site.ts";

const PAGES = [
  "/",
  "/toolhive/",
  "/toolhive/tutorials",
  "/toolhive/tutorials/quickstart-cli",
  "/search",
  "/no-such-page",
];

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [360, 1280]) {
    test.describe(`${colorScheme}, ${width} px wide`, () => {
      test.use({ colorScheme, viewport: { width, height: 900 } });

      for (const path of PAGES) {
        test(`${path} has no accessibility violation`, async ({ page }) => {
          await openPage(page, path);

          expect(await accessibilityViolations(page)).toEqual([]);
        });

        test(`${path} does not scroll sideways`, async ({ page }) => {
          await openPage(page, path);

          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

          expect(overflow).toBeLessThanOrEqual(0);
        });
      }
    });
  }
}
