/** WCAG 2.2 AA by axe: no violation on any page, in both colour modes, on a phone and on a desktop. */
import { accessibilityViolations } from "./support/axe.ts";
import { expect, openPage, test } from "./support/site.ts";

const PAGES = [
  "/",
  "/search?q=logs",
  "/no-such-page",
  "/theme-preview",
  "/toolhive/",
  "/toolhive/faq",
  "/toolhive/tutorials/quickstart-cli",
  "/toolhive/tutorials/quickstart-k8s",
  "/toolhive/concepts/mcp-primer",
  "/toolhive/guides-cli/client-configuration",
  "/toolhive/guides-ui/install",
  "/toolhive/reference/api",
  "/toolhive/reference/crd-spec",
  "/toolhive/reference/cli/thv_run",
];

// The largest page has some five thousand elements, and axe looks at the colours of each.
test.describe.configure({ timeout: 120_000 });

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [360, 1280]) {
    test.describe(`${colorScheme}, ${width} px wide`, () => {
      test.use({ colorScheme, viewport: { width, height: 900 } });

      for (const path of PAGES) {
        test(`${path} has no accessibility violation and does not scroll sideways`, async ({ page }) => {
          await openPage(page, path);

          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

          expect(overflow).toBeLessThanOrEqual(0);
          expect(await accessibilityViolations(page)).toEqual([]);
        });
      }
    });
  }
}

test("the open search modal has no accessibility violation", async ({ page }) => {
  await openPage(page, "/toolhive/");
  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill("logs");
  await expect(page.locator(".DocSearch-Hit").first()).toBeVisible();

  expect(await accessibilityViolations(page)).toEqual([]);
});

test("nothing is lost at a zoom of 200 percent", async ({ page }) => {
  // A zoom of 200 % on a screen of 1280 px leaves 640 px.
  await page.setViewportSize({ width: 640, height: 450 });
  await openPage(page, "/toolhive/reference/cli/thv_run");

  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

  expect(overflow).toBeLessThanOrEqual(0);
  await expect(page.getByRole("button", { name: "Toggle navigation bar" })).toBeVisible();
});

test("print shows the text without the chrome", async ({ page }) => {
  await openPage(page, "/toolhive/guides-cli/run-mcp-servers");

  await page.emulateMedia({ media: "print" });

  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Main" })).toBeHidden();
  await expect(page.getByRole("contentinfo")).toBeHidden();
});
