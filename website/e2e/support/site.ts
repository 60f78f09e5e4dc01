/**
 * The test object of this suite: pages that know the server's address and record what a good page never does
 * (requests to other hosts, policy violations, script errors).
 */
import { test as base, expect, type Page } from "@playwright/test";

/** Address of the server that `playwright.config.ts` started, without a slash at the end. */
export function siteOrigin(): string {
  const port = process.env.TOOLHIVE_SITE_PORT;
  if (port === undefined) throw new Error("The site's server did not announce its port.");
  return `http://127.0.0.1:${port}`;
}

export interface Observed {
  /** Requests that left the site's origin. */
  readonly foreignRequests: string[];
  readonly policyViolations: string[];
  readonly scriptErrors: string[];
}

export const test = base.extend<{ observed: Observed }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's dependencies from this pattern.
  baseURL: async ({}, use) => use(siteOrigin()),
  observed: async ({ page }, use) => {
    const observed: Observed = { foreignRequests: [], policyViolations: [], scriptErrors: [] };
    observe(page, observed);
    await use(observed);
  },
});

function observe(page: Page, observed: Observed): void {
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith("http") && origin !== siteOrigin()) observed.foreignRequests.push(request.url());
  });
  page.on("console", (message) => {
    if (/Content Security Policy|Refused to/i.test(message.text())) observed.policyViolations.push(message.text());
    // What was built differs from what the browser renders: React repairs it and the framework only logs it.
    if (message.text().includes("onRecoverableError")) observed.scriptErrors.push(message.text());
  });
  page.on("pageerror", (error) => observed.scriptErrors.push(error.message));
}

/** Goes to a page and waits until its scripts have taken over. */
export async function openPage(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await waitForScripts(page);
}

/**
 * It waits for an element, because an assertion describes the element that it reads each time that it does not hold: the whole page for
 * that of the root, which takes longer than opening it.
 */
export async function waitForScripts(page: Page): Promise<void> {
  await page.locator('html[data-has-hydrated="true"]').waitFor({ state: "attached" });
}

export { expect };
