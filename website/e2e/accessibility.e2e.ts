/** WCAG 2.2 AA by axe: no violation on any page, in both colour modes, on a phone and on a desktop. */
import type { APIRequestContext } from "@playwright/test";
import { accessibilityViolations, loadAxe } from "./support/axe.ts";
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
  "/toolhive/reference/api/workloads",
  "/toolhive/reference/api/workload-request",
  "/toolhive/reference/crd-spec",
  "/toolhive/reference/crd-spec/mcpserver",
  "/toolhive/reference/cli/thv_run",
];

// The largest page has more than four thousand elements, and axe reads the colours of each.
test.describe.configure({ timeout: 300_000 });

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

test("axe finds a pale word in a table far below the screen", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await openPage(page, "/toolhive/reference/conformance");
  const cell = page.locator("#scenarios ~ div td", { hasText: "4 of 4" }).first();
  await cell.evaluate((element: HTMLElement) => {
    element.style.color = "#ddd";
  });

  const [violation, ...others] = await accessibilityViolations(page);

  expect(violation).toMatch(/^color-contrast: <td style="color: rgb\(221, 221, 221\);">/);
  expect(others).toEqual([]);
});

/** Texts of each kind that axe has a rule for how to find their contrast, half of them too pale. */
const TEXTS = [
  ...[
    "#ddd",
    "#555",
    "rgb(0 0 0 / 20%)",
    "hsl(3.1rad 40% 80%)",
    "oklch(0.9 0.05 200)",
    "color(display-p3 0.7 0.9 0.7)",
  ].map((color) => `<p style="color: ${color}">A text</p>`),
  '<p style="opacity: 0.3">A text that lets its background through</p>',
  '<p style="color: #777; text-shadow: 0 0 2px #888">A text with a shadow</p>',
  '<p style="background: linear-gradient(red, blue)">A text before a gradient</p>',
  '<div style="background: #123"><p style="background: rgb(255 255 255 / 50%); color: #446">A text before two colors</p></div>',
  '<div style="background: #fc0"><p style="mix-blend-mode: multiply; background: #8cf; color: #048">A blended text</p></div>',
  '<p style="color: #111">A text with <a href="#a" style="color: #222; text-decoration: none">a link like it</a> in it</p>',
  '<p style="font-size: 40px; color: #949494">A large text</p>',
  '<button style="background: #666; color: #999">A button</button><input aria-label="A field" value="pale" style="color: #ccc">',
];

test.describe("axe with quick colours", () => {
  // The site's policy lets no styles in that are written into the page.
  test.use({ bypassCSP: true });

  test("finds what axe finds", async ({ page }) => {
    const run = () =>
      page.evaluate(async () => {
        const { axe: runner } = window as unknown as { axe: typeof import("axe-core") };
        const { violations, incomplete, passes } = await runner.run(document, { preload: false });
        return JSON.stringify({ violations, incomplete, passes });
      });
    await openPage(page, "/theme-preview");
    await page
      .locator("article")
      .evaluate((article, texts) => article.insertAdjacentHTML("beforeend", texts), TEXTS.join(""));
    await loadAxe(page, { areColorsQuick: false });
    const ofAxe = await run();

    await loadAxe(page);
    const quick = await run();

    expect(JSON.parse(quick)).toEqual(JSON.parse(ofAxe));
    const { violations, incomplete } = JSON.parse(quick);
    const countContrasts = (results: { id: string; nodes: unknown[] }[]) =>
      results.find(({ id }) => id === "color-contrast")?.nodes.length;
    expect(countContrasts(violations)).toBeGreaterThan(6);
    expect(countContrasts(incomplete)).toBeGreaterThan(0);
  });
});

/** As many tests as share the other pages among them, so that all workers take part to the end. */
const PARTS = 8;

for (let part = 0; part < PARTS; part++) {
  test(`no other page has a violation on a desktop or scrolls sideways on a phone, part ${part + 1} of ${PARTS}`, async ({
    page,
    request,
  }) => {
    test.setTimeout(600_000);
    await page.emulateMedia({ colorScheme: "light" });
    const paths = (await otherPaths(request)).filter((_path, index) => index % PARTS === part);
    const faults: Record<string, string[]> = {};

    for (const path of paths) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await openPage(page, path);
      const found = await accessibilityViolations(page);
      // The same page made narrow: opening it again would take as long as all of this.
      await page.setViewportSize({ width: 360, height: 800 });
      await expect(page.getByRole("button", { name: "Toggle navigation bar" })).toBeVisible();
      if (await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)) found.push("too wide");
      if (found.length > 0) faults[path] = found;
    }

    expect(faults).toEqual({});
    expect(paths.length).toBeGreaterThan(8);
  });
}

/** Every page that `PAGES` does not name. */
async function otherPaths(request: APIRequestContext): Promise<string[]> {
  const sitemap = await (await request.get("/sitemap.xml")).text();
  const paths = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => new URL(address ?? "").pathname);
  // The error catalogue's are made alike from data: with commands in a list, with a long output, and with neither.
  const different = paths.filter(
    (path) => !/\/reference\/errors\/(?!workload-exists$|checks-failed$|workload-busy$)/.test(path),
  );
  return different.filter((path) => !PAGES.includes(path));
}

test("a reader with a keyboard alone goes from the home page to a command's page", async ({ page }) => {
  await openPage(page, "/");
  const press = async (key: string, until: () => Promise<boolean>) => {
    for (let presses = 0; presses < 200; presses++) {
      await page.keyboard.press(key);
      if (await until()) return;
    }
    throw new Error(`${key} does not lead there, from ${page.url()}.`);
  };
  const focusIsOn = (text: string) => () =>
    page.evaluate((wanted) => document.activeElement?.textContent?.trim().startsWith(wanted) === true, text);

  await press("Tab", focusIsOn("Command reference"));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/reference\/cli\/thv$/);
  // The address changes at once, the page follows.
  await expect(page.getByRole("heading", { level: 1 })).toContainText("command reference");
  await page.keyboard.press("/");
  await expect(page.getByRole("dialog").getByRole("searchbox")).toBeFocused();
  await page.keyboard.type("thv logs prune");
  await expect(page.locator(".DocSearch-Hit[aria-selected=true]")).toContainText("logs prune");
  await page.keyboard.press("Enter");

  await expect(page.getByRole("heading", { level: 1 })).toHaveText("thv logs prune");
});

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
