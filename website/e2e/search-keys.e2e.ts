/** What a reader presses before the search dialog is there: nothing of it is lost, and nothing of it moves the page. */
import type { Page } from "@playwright/test";
import { expect, openPage, test, waitForScripts } from "./support/site.ts";

const PAGE = "/toolhive/tutorials/quickstart-cli";
const SCRIPTS = "**/assets/js/*.js";

/** Holds every bundle from here on. @returns Lets them go. */
async function holdScripts(page: Page): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(SCRIPTS, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

/** What a reader first sees of a page whose scripts have not come yet. */
async function openHeld(page: Page): Promise<() => void> {
  const release = await holdScripts(page);
  await page.goto(PAGE, { waitUntil: "commit" });
  await expect(page.getByRole("contentinfo")).toBeAttached();
  return release;
}

async function expectSearchFor(page: Page, words: string): Promise<void> {
  await expect(page.getByRole("searchbox")).toHaveValue(words);
  await expect(page.getByRole("searchbox")).toBeFocused();
}

for (const [how, ask] of [
  ["Ctrl+K", (page: Page) => page.keyboard.press("Control+k")],
  ["the slash", (page: Page) => page.keyboard.press("/")],
  ["a click on Search", (page: Page) => page.locator(".DocSearch-Button").click()],
] as const) {
  test(`${how} before any bundle has run opens the dialog with what was typed`, async ({ page, observed }) => {
    const release = await openHeld(page);

    await ask(page);
    await page.keyboard.type("thv  runs");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("PageDown");
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
    release();

    await expectSearchFor(page, "thv  run");
    await expect(page.locator(".DocSearch-Hit").first()).toBeVisible();
    expect(observed).toEqual({ foreignRequests: [], policyViolations: [], scriptErrors: [] });
  });

  test(`${how} while the dialog's code is on its way opens it with what was typed`, async ({ page }) => {
    await openPage(page, PAGE);
    const release = await holdScripts(page);

    await ask(page);
    await page.keyboard.type("thv  run");
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
    release();

    await expectSearchFor(page, "thv  run");
    await page.keyboard.type(" logs");
    await expectSearchFor(page, "thv  run logs");
    await expect(page.locator(".DocSearch-Hit").first()).toBeVisible();
  });
}

test("a letter on the focused button opens the dialog with it, before any bundle has run", async ({ page }) => {
  const release = await openHeld(page);

  await page.locator(".DocSearch-Button").focus();
  await page.keyboard.type("logs");
  release();

  await expectSearchFor(page, "logs");
});

test("what is pasted meanwhile is in the dialog, and no more than it takes", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const release = await openHeld(page);
  await page.evaluate(() => navigator.clipboard.writeText(`workload not found ${"x".repeat(100)}`));

  await page.keyboard.press("/");
  await page.keyboard.press("Control+v");
  release();

  await expectSearchFor(page, `workload not found ${"x".repeat(64 - 19)}`);
});

test("Escape cancels the waiting search, and the keys are the page's again", async ({ page }) => {
  const release = await openHeld(page);

  await page.keyboard.press("/");
  await page.keyboard.type("logs");
  await page.keyboard.press("Escape");
  await page.keyboard.press("End");
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
  release();

  await waitForScripts(page);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("Control+k");
  await expectSearchFor(page, "");
});

test("Escape closes a dialog that is still on its way", async ({ page }) => {
  await openPage(page, PAGE);
  const release = await holdScripts(page);
  await page.keyboard.press("/");
  await expect(page.locator(".lazy-module__spinner")).toBeVisible();

  await page.keyboard.press("Escape");
  release();

  await expect(page.locator(".lazy-module")).toHaveCount(0);
  await expect(page.locator(".DocSearch-Button")).toBeFocused();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("what is typed into a field of the page stays there", async ({ page }) => {
  await openPage(page, "/toolhive/reference/cli/thv");
  const filter = page.getByRole("searchbox", { name: "Filter the table" }).first();
  const release = await holdScripts(page);
  await page.keyboard.press("/");

  await filter.focus();
  await page.keyboard.type("a/b");

  await expect(filter).toHaveValue("a/b");
  release();
  await expect(page.getByRole("dialog").getByRole("searchbox")).toHaveValue("");
});

test("Retry works by its key, and keeps what was typed", async ({ page }) => {
  await openPage(page, PAGE);
  await page.route(SCRIPTS, (route) => route.abort());
  await page.keyboard.press("/");
  await page.keyboard.type("logs");
  await expect(page.getByRole("alert")).toContainText("The search could not be loaded");
  await page.unroute(SCRIPTS);

  await page.getByRole("button", { name: "Retry" }).focus();
  await page.keyboard.press("Enter");

  await expectSearchFor(page, "logs");
});
