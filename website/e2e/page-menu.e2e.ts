/** The menu of a page: what it offers, its keys, and what it looks like to a screen reader. */
import { BRAND } from "@toolhive/core/brand";
import { accessibilityViolations } from "./support/axe.ts";
import { expect, openPage, siteOrigin, test } from "./support/site.ts";

const GUIDE = "/toolhive/guides-cli/run-mcp-servers";
const SERVER_NAME = `${BRAND.docsSegment}-docs`;

test.beforeEach(({ context }) => context.grantPermissions(["clipboard-read", "clipboard-write"]));

test("copies the page as Markdown, and says so", async ({ page, observed }) => {
  await openPage(page, GUIDE);

  await page.getByRole("button", { name: "Copy page" }).click();
  await page.getByRole("menuitem", { name: "Copy as Markdown" }).click();

  await expect(page.locator(".page-actions__button")).toHaveText("Copied");
  await expect(page.locator(".page-actions__button")).toBeFocused();
  await expect(page.getByRole("menu")).toHaveCount(0);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^# Run MCP servers with the CLI\n/);
  expect(observed).toEqual({ foreignRequests: [], policyViolations: [], scriptErrors: [] });
});

test("says when nothing was copied", async ({ page }) => {
  await openPage(page, GUIDE);
  await page.route("**/*.md", (route) => route.abort());

  await page.getByRole("button", { name: "Copy page" }).click();
  await page.getByRole("menuitem", { name: "Copy as Markdown" }).click();

  await expect(page.locator(".page-actions__button")).toHaveText("Not copied");
});

test("opens the page as Markdown", async ({ page }) => {
  await openPage(page, GUIDE);

  await page.getByRole("button", { name: "Copy page" }).click();
  await page.getByRole("menuitem", { name: "View as Markdown" }).click();

  await expect(page).toHaveURL(`${GUIDE}.md`);
  await expect(page.getByText("# Run MCP servers with the CLI", { exact: false }).first()).toBeVisible();
});

test("copies a link to the section that the reader came to, or to the page", async ({ page }) => {
  const button = page.getByRole("button", { name: "Copy page" });
  await openPage(page, `${GUIDE}#pass-arguments`);
  await expect(page.locator("#pass-arguments")).toBeInViewport();

  await button.click();
  await page.getByRole("menuitem", { name: "Copy link to “Pass arguments”" }).click();

  await expect(page.locator(".page-actions__button")).toHaveText("Copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${siteOrigin()}${GUIDE}#pass-arguments`);
  await openPage(page, `${GUIDE}?from=mail`);
  await button.click();
  await page.getByRole("menuitem", { name: "Copy link to this page" }).click();
  await expect(page.locator(".page-actions__button")).toHaveText("Copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${siteOrigin()}${GUIDE}`);
});

test("names the section at the top of the screen, whatever the address says", async ({ page }) => {
  await openPage(page, `${GUIDE}#pass-arguments`);
  await page.locator("#add-labels").evaluate((heading) => heading.scrollIntoView());

  // As somebody with a keyboard does whose focus is still on the button.
  await page.locator(".page-actions__button").evaluate((button: HTMLElement) => button.click());

  await expect(page.getByRole("menuitem", { name: "Copy link to “Add labels”" })).toBeAttached();
});

test("offers the site's own MCP server to three clients, each by its own means", async ({ page }) => {
  const url = `${siteOrigin()}/mcp`;
  await openPage(page, GUIDE);
  await page.getByRole("button", { name: "Copy page" }).click();
  const readAddress = async (name: string) =>
    (await page.getByRole("menuitem", { name }).getAttribute("href")) ?? `${name} leads nowhere`;

  const cursor = new URL(await readAddress("Add to Cursor"));
  expect(cursor.protocol).toBe("cursor:");
  expect(cursor.searchParams.get("name")).toBe(SERVER_NAME);
  expect(JSON.parse(atob(cursor.searchParams.get("config") ?? ""))).toEqual({ url, type: "http" });
  const code = new URL(await readAddress("Add to Visual Studio Code"));
  expect(code.protocol).toBe("vscode:");
  expect(JSON.parse(decodeURIComponent(code.search.slice(1)))).toEqual({ name: SERVER_NAME, url, type: "http" });
  await page.getByRole("menuitem", { name: "Copy command for Claude Code" }).click();
  await expect(page.locator(".page-actions__button")).toHaveText("Copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `claude mcp add --transport http ${SERVER_NAME} ${url}`,
  );
});

test("goes by the keys of a menu", async ({ page }) => {
  await openPage(page, GUIDE);
  const button = page.getByRole("button", { name: "Copy page" });
  const item = (name: string) => page.getByRole("menuitem", { name });
  await button.focus();

  await page.keyboard.press("Enter");
  await expect(item("Copy as Markdown")).toBeFocused();
  await expect(button).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("ArrowUp");
  await expect(item("Copy command for Claude Code")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(item("Copy as Markdown")).toBeFocused();
  await page.keyboard.press("End");
  await expect(item("Copy command for Claude Code")).toBeFocused();
  await page.keyboard.press("v");
  await expect(item("View as Markdown")).toBeFocused();
  await page.keyboard.press("Home");
  await expect(item("Copy as Markdown")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);
  await expect(button).toBeFocused();

  await page.keyboard.press("Enter");
  await expect(item("Copy as Markdown")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("menu")).toHaveCount(0);
  expect(await page.evaluate(() => document.activeElement?.closest("article") !== null)).toBe(true);
  await expect(button).not.toBeFocused();

  await button.press("Enter");
  await page.keyboard.press("v");
  await page.keyboard.press(" ");
  await expect(page).toHaveURL(`${GUIDE}.md`);
});

test("closes for a press elsewhere, and for the search dialog", async ({ page }) => {
  await openPage(page, GUIDE);
  const button = page.getByRole("button", { name: "Copy page" });
  await button.click();
  await expect(page.getByRole("menu")).toBeVisible();
  await page.getByRole("heading", { level: 1 }).click();
  await expect(page.getByRole("menu")).toHaveCount(0);
  await expect(button).toHaveAttribute("aria-expanded", "false");

  await button.click();
  await expect(page.getByRole("menuitem").first()).toBeFocused();
  await page.keyboard.press("/");

  await expect(page.getByRole("searchbox")).toBeFocused();
  await expect(page.getByRole("menu")).toHaveCount(0);
});

test("is loaded when a reader reaches for it, and weighs 14 kB at most", async ({ page }) => {
  await openPage(page, GUIDE);
  await page.waitForLoadState("networkidle");
  const before = await page.evaluate(() => performance.getEntriesByType("resource").length);

  await page.getByRole("button", { name: "Copy page" }).hover();
  await page.getByRole("button", { name: "Copy page" }).click();
  await expect(page.getByRole("menu")).toBeVisible();

  const came = await page.evaluate(
    (count) =>
      performance
        .getEntriesByType("resource")
        .slice(count)
        .filter((entry) => entry instanceof PerformanceResourceTiming && entry.initiatorType === "script")
        .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
    before,
  );
  expect(came.length).toBeGreaterThan(0);
  expect(came.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(14_000);
});

test("a menu that cannot be loaded says so, and comes with Retry", async ({ page }) => {
  await openPage(page, GUIDE);
  await page.route("**/assets/js/*.js", (route) => route.abort());
  await page.getByRole("button", { name: "Copy page" }).click();
  await expect(page.getByRole("alert")).toContainText("The menu could not be loaded");

  await page.unroute("**/assets/js/*.js");
  await page.getByRole("button", { name: "Retry" }).click();

  await expect(page.getByRole("menu")).toBeVisible();
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [360, 1280]) {
    test(`has no accessibility violation and stays on the screen, ${colorScheme}, ${width} px wide`, async ({
      page,
    }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await openPage(page, GUIDE);

      await page.getByRole("button", { name: "Copy page" }).click();
      const box = await page.getByRole("menu").boundingBox();

      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? Number.NaN)).toBeLessThanOrEqual(width);
      expect(await accessibilityViolations(page)).toEqual([]);
    });
  }
}

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("a link leads to the Markdown instead", async ({ page }) => {
    await page.goto(GUIDE);

    await expect(page.getByRole("button", { name: "Copy page" })).toBeHidden();
    await page.getByRole("link", { name: "Markdown", exact: true }).click();
    await expect(page).toHaveURL(`${GUIDE}.md`);
  });
});
