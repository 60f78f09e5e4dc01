/** What readers see when something goes wrong on the way: the network, a deploy, storage, the address, a page's code. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";
import { expect, openPage, siteOrigin, test, waitForScripts } from "./support/site.ts";

const FROM = "/toolhive/guides-cli/run-mcp-servers";
const TO = "/toolhive/guides-cli/manage-mcp-servers";
const TITLE = "Manage MCP servers with the CLI";

/** A link of the sidebar without the preload that hovering starts. */
async function followLink(page: Page, path: string): Promise<void> {
  await page.evaluate((href) => document.querySelector<HTMLAnchorElement>(`.menu a[href="${href}"]`)?.click(), path);
}

/** Prefetched bundles would hide the network's faults. */
async function withoutPrefetch(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "connection", { value: { saveData: true, effectiveType: "4g" } });
  });
}

/** Addresses that the page asks for with a low priority and for later; grows while the page is open. */
function observePrefetches(page: Page): string[] {
  const addresses: string[] = [];
  page.on("request", (request) => {
    if (request.headers()["sec-purpose"] === "prefetch" || request.headers().purpose === "prefetch")
      addresses.push(request.url());
  });
  return addresses;
}

test("a saver of data prefetches nothing", async ({ page }) => {
  await withoutPrefetch(page);

  const prefetched = observePrefetches(page);

  await openPage(page, FROM);
  // The browser has been idle by then, which is when the others prefetch.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve))));

  expect(prefetched).toEqual([]);
});

test("a connection of 2g prefetches nothing", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "connection", { value: { saveData: false, effectiveType: "2g" } });
  });
  const prefetched = observePrefetches(page);

  await openPage(page, FROM);
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve))));

  expect(prefetched).toEqual([]);
});

test("a link that the pointer rests on has its bundle loaded before it is pressed", async ({ page }) => {
  // Without idle moments nothing is prefetched, and what is asked for is asked for by the pointer.
  await page.addInitScript(() => {
    window.requestIdleCallback = () => 0;
  });
  await openPage(page, FROM);
  const asked = page.waitForRequest((request) => request.resourceType() === "script");

  await page.locator(`.menu a[href="${TO}"]`).hover();

  expect((await asked).url()).toContain("/assets/js/");
  await expect(page).toHaveURL(new RegExp(`${FROM}$`));
});

test("links in view are prefetched otherwise", async ({ page }) => {
  const prefetched = observePrefetches(page);

  await openPage(page, FROM);

  await expect.poll(() => prefetched.length).toBeGreaterThan(3);
  expect(new Set(prefetched).size).toBe(prefetched.length);
  await expect(page.locator("link[rel=prefetch]")).toHaveCount(0);
});

/** In the page: does all work that waits for idle moments; resolves when none is left and nothing is being prefetched. */
type WithIdleMoments = typeof window & { idleMoments: () => Promise<void> };

async function withIdleMomentsOnCall(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const waiting: IdleRequestCallback[] = [];
    window.requestIdleCallback = (work) => waiting.push(work);
    (window as WithIdleMoments).idleMoments = async () => {
      for (;;) {
        const work = waiting.shift();
        const [link] = document.querySelectorAll("link[rel=prefetch]");
        if (work !== undefined) work({ didTimeout: false, timeRemaining: () => 50 });
        else if (link === undefined) return;
        else await new Promise((resolve) => link.addEventListener("load", resolve));
        // What comes after the work or the bundle has its turn.
        await new Promise((resolve) => setTimeout(resolve));
      }
    };
  });
}

test("the next page of the menu is prefetched first, and each page prefetches within its allowance", async ({
  page,
}) => {
  await withIdleMomentsOnCall(page);
  const prefetch = () =>
    page.evaluate(async () => {
      await (window as WithIdleMoments).idleMoments();
      return performance
        .getEntriesByType("resource")
        .filter((entry) => entry instanceof PerformanceResourceTiming)
        .filter(
          ({ name, initiatorType, transferSize }) => initiatorType === "link" && /\.js$/.test(name) && transferSize,
        )
        .map(({ name, transferSize }) => ({ name, bytes: transferSize }));
    });
  const links = observePrefetches(page);
  await openPage(page, FROM);
  const first = await prefetch();
  const nextPage = (await page.locator(".pagination-nav__link--next").getAttribute("href")) ?? "";
  const bundles: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "script") bundles.push(request.url());
  });

  await followLink(page, nextPage);
  await expect(page).toHaveURL(new RegExp(`${nextPage}$`));
  expect(links).toEqual(expect.arrayContaining(first.map(({ name }) => name)));
  // The two bundles of the home page come with any page, since the framework finds bundles by the paths of its parents.
  expect(first.slice(0, 3).map(({ name }) => name)).toContain(bundles.at(0));
  // 24 kB, and what was begun before they were spent.
  const bytes = first.reduce((sum, bundle) => sum + bundle.bytes, 0);
  expect(bytes).toBeGreaterThan(24_000);
  expect(bytes).toBeLessThan(40_000);
  // The links of the page that was followed to are observed some time after its URL is shown.
  await expect.poll(async () => (await prefetch()).length).toBeGreaterThan(first.length);
});

test("a bundle that is gone after a deploy leads to a full load of the next page, with a warning", async ({ page }) => {
  await withoutPrefetch(page);
  const warnings: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "warning") warnings.push(message.text());
  });
  await openPage(page, FROM);
  await page.evaluate(() => document.body.setAttribute("data-mark", "yes"));
  await page.route("**/assets/js/*.js", (route) => route.fulfill({ status: 404, body: "gone" }));

  await followLink(page, TO);
  await page.waitForEvent("load");
  await page.unroute("**/assets/js/*.js");

  await expect(page.getByRole("heading", { level: 1 })).toHaveText(TITLE);
  await expect(page.locator("body[data-mark]")).toHaveCount(0);
  expect(warnings.join("\n")).toMatch(/chunk/i);
});

test("a page whose code cannot be loaded even then shows the error's text and Retry, below the text that it has", async ({
  page,
}) => {
  // The page's own bundle, and none that every page has.
  const isOwn = (address: URL) => /\/assets\/js\/[0-9a-f]{8}\.[0-9a-f]{8}\.js$/.test(address.pathname);
  await page.route(isOwn, (route) => route.fulfill({ status: 503, body: "later" }));

  await page.goto(TO);

  const failure = page.getByRole("alert").filter({ hasText: "This page's code could not be loaded" });
  await expect(failure).toContainText(/chunk/i);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(TITLE);
  await page.unroute(isOwn);
  await failure.getByRole("button", { name: "Retry" }).click();
  await waitForScripts(page);
  await expect(failure).toHaveCount(0);
});

test("the old page stays until the next one is there, under a progress bar without spinner", async ({
  page,
  observed,
}) => {
  await withoutPrefetch(page);
  await openPage(page, FROM);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/assets/js/*.js", async (route) => {
    await held;
    await route.continue();
  });

  await followLink(page, TO);

  await expect(page.locator("#nprogress .bar")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Run MCP servers with the CLI");
  await expect(page.locator("#nprogress .spinner")).toHaveCount(0);
  release();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(TITLE);
  await expect(page.locator("#nprogress")).toHaveCount(0);
  expect(observed.policyViolations).toEqual([]);
});

test("the progress bar comes after 200 ms, begins at 8 percent and moves on after 800 ms", async ({ page }) => {
  await withoutPrefetch(page);
  await page.clock.install();
  await openPage(page, FROM);
  await page.route("**/assets/js/*.js", () => undefined);
  const bar = page.locator("#nprogress .bar");
  const percent = () =>
    bar.evaluate((element: HTMLElement) => 100 + Number(/translate3d\((-?[\d.]+)%/.exec(element.style.transform)?.[1]));
  await page.clock.pauseAt(Date.now() + 60_000);

  await followLink(page, TO);

  await page.clock.runFor(199);
  await expect(bar).toHaveCount(0);
  await page.clock.runFor(1);
  await expect(bar).toHaveCount(1);
  expect(await percent()).toBeCloseTo(8);
  await page.clock.runFor(799);
  expect(await percent()).toBeCloseTo(8);
  await page.clock.runFor(1);
  expect(await percent()).toBeGreaterThan(8);
});

test("history entries made by navigation have a key of six characters", async ({ page }) => {
  await openPage(page, FROM);

  await followLink(page, TO);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(TITLE);

  expect(await page.evaluate(() => (history.state as { key: string }).key)).toHaveLength(6);
});

test("a page whose code throws shows the message and Try again, with navigation around it", async ({ page }) => {
  await withoutPrefetch(page);
  await openPage(page, FROM);
  await withDefaultExport(page, 'default:()=>()=>{throw new Error("made to fail")}');

  await followLink(page, TO);

  await expect(page.getByRole("heading", { name: "This page crashed." })).toBeVisible();
  await expect(page.getByText("made to fail")).toBeVisible();
  await expect(page.getByRole("button", { name: "Try again" })).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
});

test("a page whose component is no default export says so", async ({ page }) => {
  await withoutPrefetch(page);
  await openPage(page, FROM);
  await withDefaultExport(page, "default:()=>undefined");

  await followLink(page, TO);

  await expect(page.getByRole("heading", { name: "This page crashed." })).toBeVisible();
  await expect(page.getByText("doesn't have a default export")).toBeVisible();
});

/** Answers the request for the script of the page `TO` with another default export, which is the page's component. */
async function withDefaultExport(page: Page, replacement: string): Promise<void> {
  const file = await findChunk(page, TITLE);
  await page.route(`**/${file}`, async (route) => {
    const response = await route.fetch();
    const source = await response.text();
    const exported = /default:\s*(?:\(\)\s*=>\s*\w+|function\s*\(\)\s*\{\s*return\s+\w+\s*\})/g;
    await route.fulfill({ response, body: source.replaceAll(exported, replacement) });
  });
}

/** The file that holds a page's text: the built script in which its title stands as front matter. */
async function findChunk(page: Page, title: string): Promise<string> {
  const manifest = JSON.parse(readFileSync(path.join(__dirname, "../dist/site-manifest.json"), "utf8")) as {
    files: Record<string, unknown>;
  };
  for (const file of Object.keys(manifest.files).filter(
    (name) => name.startsWith("/assets/js/") && !name.includes("main"),
  )) {
    const source = await (await page.request.get(file)).text();
    if (source.includes(title) && source.includes("frontMatter")) return path.posix.basename(file);
  }
  throw new Error(`No bundle holds the page "${title}".`);
}

test("an address that cannot be decoded is an error of the page, not a crash of the site", async ({
  page,
  observed,
}) => {
  await openPage(page, FROM);

  await page.evaluate(() => {
    history.pushState({}, "", "/%E0%A4%A");
    dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  });

  await expect.poll(() => observed.scriptErrors.join("\n")).toContain("could not be decoded");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Run MCP servers with the CLI");
});

test("blocked storage changes nothing but the memory of choices", async ({ page, observed }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  });

  await openPage(page, FROM);
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("button", { name: /color|mode/i })
    .click();

  await expect(page.locator("html")).toHaveAttribute("data-theme", /light|dark/);
  expect(observed.scriptErrors).toEqual([]);
});

test.describe("under a wrong base address", () => {
  for (const [path_, banners] of [
    ["/", 1],
    [FROM, 0],
  ] as const) {
    test(`${path_} shows ${banners === 1 ? "the banner with a suggestion" : "no banner"}`, async ({ page }) => {
      const html = await (await page.request.get(path_)).text();
      // The site moved below /moved/, and its files did not.
      await page.route(`${siteOrigin()}/**`, (route) => {
        const { pathname } = new URL(route.request().url());
        if (route.request().resourceType() === "document" && pathname.startsWith("/moved/")) {
          return route.fulfill({ contentType: "text/html", body: html });
        }
        return route.fulfill({ status: 404, body: "not here" });
      });

      await page.goto(`/moved${path_}`);

      const banner = page.locator("#__docusaurus-base-url-issue-banner");
      await expect(banner).toHaveCount(banners);
      if (banners === 1)
        await expect(page.locator("#__docusaurus-base-url-issue-banner-suggestion-container")).toHaveText("/moved/");
    });
  }

  test("the right address shows no banner", async ({ page }) => {
    await openPage(page, "/");

    await expect(page.locator("#__docusaurus-base-url-issue-banner")).toHaveCount(0);
  });
});

test("a navigation that loses the network ends on the next page when it is back", async ({ page }) => {
  await withoutPrefetch(page);
  await openPage(page, FROM);
  await page.route("**/assets/js/*.js", (route) => route.abort("internetdisconnected"));
  await page.route(`**${TO}`, (route) => route.abort("internetdisconnected"));
  const refused = page.waitForEvent("requestfailed", (request) => request.isNavigationRequest());

  await followLink(page, TO);
  await refused;
  await page.unroute("**/assets/js/*.js");
  await page.unroute(`**${TO}`);
  await page.reload();

  await expect(page).toHaveURL(TO);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(TITLE);
});
