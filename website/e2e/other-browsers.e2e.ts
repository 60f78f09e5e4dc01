/**
 * The site's main ways in browsers that the other tests do not use: the system's Firefox (`FIREFOX_PATH`, else Debian's)
 * and its WebKit. Each test ends with a console that has shown nothing.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "@playwright/test";
import { FIREFOX_IS_MISSING, launchFirefox } from "./support/firefox.ts";
import type { BrowserTab, LaunchedBrowser, OtherBrowser } from "./support/other-browser.ts";
import { siteOrigin } from "./support/site.ts";
import { launchWebkit, WEBKIT_IS_MISSING } from "./support/webkit.ts";

const GUIDE = "/toolhive/guides-cli/run-mcp-servers";

const quoteScript = JSON.stringify;
const readTextScript = (selector: string) => `document.querySelector(${quoteScript(selector)})?.textContent ?? ""`;
const readFieldScript = (selector: string) => `document.querySelector(${quoteScript(selector)})?.value`;
const countScript = (selector: string) => `document.querySelectorAll(${quoteScript(selector)}).length`;

/** Paths of bundles that no script element asked for. */
const FETCHED_FOR_LATER = `performance.getEntriesByType("resource")
  .filter(({ name, initiatorType }) => /\\.js$/.test(name) && initiatorType !== "script")
  .map(({ name }) => new URL(name).pathname)`;

const hasRequested = (other: OtherBrowser) => (address: string) => other.requests().includes(address);

/** Waits until the page says so. */
const until = <T>(shown: BrowserTab, expression: string) => expect.poll(() => shown.read<T>(expression));

for (const { name, missing, launch } of [
  { name: "Firefox", missing: FIREFOX_IS_MISSING, launch: launchFirefox },
  { name: "WebKit", missing: WEBKIT_IS_MISSING, launch: launchWebkit },
]) {
  test.describe(missing === "" ? name : `${name}, ${missing}`, () => {
    test.skip(missing !== "", missing);
    // One of each kind is started for all tests, which takes longer than most of them.
    test.describe.configure({ mode: "default" });
    let home = "";
    let launched: LaunchedBrowser | undefined;
    let other: OtherBrowser;
    let tab: BrowserTab;

    test.beforeAll(async () => {
      home = mkdtempSync(path.join(tmpdir(), "toolhive-browser-"));
      launched = await launch(home);
    });
    test.afterAll(async () => {
      await launched?.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    });
    test.beforeEach(async () => {
      if (launched === undefined) throw new Error(`${name} was not launched.`);
      other = await launched.start(siteOrigin());
      tab = await other.newTab();
    });
    test.afterEach(async () => {
      await other.close();
      expect(other.notices()).toEqual([]);
    });

    test("shows pages, and goes from one to the next without loading anew", async () => {
      for (const address of ["/", "/toolhive/reference/api", GUIDE]) {
        await tab.open(address);
        await until(tab, readTextScript("h1")).not.toBe("");
      }
      await tab.read('document.body.setAttribute("data-mark", "never reloaded")');

      await tab.click(".pagination-nav__link--next");

      await until(tab, readTextScript("h1")).toBe("Manage MCP servers with the CLI");
      expect(await tab.read(countScript("body[data-mark]"))).toBe(1);
      expect(await tab.read("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    });

    test("searches in the dialog, and Enter opens what was found", async () => {
      await tab.open("/");

      await tab.press("Control+k");
      await until(tab, "document.activeElement?.type").toBe("search");
      await tab.type("workload not found");
      await until(tab, readTextScript(".DocSearch-Hit[aria-selected=true]")).toContain("WORKLOAD_NOT_FOUND");
      await tab.press("Enter");

      await until(tab, "location.pathname").toBe("/toolhive/reference/errors/workload-not-found");
      await until(tab, countScript(".DocSearch-Modal")).toBe(0);
    });

    test("shows the page of results", async () => {
      await tab.open("/search?q=logs");

      await until(tab, readTextScript("h1")).toBe('Search results for "logs"');
      await until<number>(tab, countScript("article a")).toBeGreaterThan(5);
    });

    test("keeps the colour mode of all tabs the same", async () => {
      await tab.open(GUIDE);
      const second = await other.newTab();
      await second.open(GUIDE);

      for (const choice of ["light", "dark", "system"]) {
        await tab.click(".navbar button[class*=toggleButton]");
        await until(tab, "document.documentElement.dataset.themeChoice").toBe(choice);
        await until(second, "document.documentElement.dataset.themeChoice").toBe(choice);
      }
    });

    test("has dark scrollbars in the dark mode, in the phone's menu too", async () => {
      await tab.open(GUIDE);
      await tab.read('localStorage.setItem("theme", "dark")');
      await tab.open(GUIDE);
      expect(await measureBrightest(tab, ".theme-doc-sidebar-container nav.menu")).toBeLessThan(170);

      await tab.resize(480, 800);
      await tab.click(".navbar__toggle");

      await until(tab, "document.querySelector('.navbar-sidebar')?.getBoundingClientRect().left").toBe(0);
      expect(await measureBrightest(tab, ".navbar-sidebar__items .menu")).toBeLessThan(170);
    });

    test("copies a command", async () => {
      await tab.open("/toolhive/tutorials/quickstart-cli");

      const command = await tab.read<string>(readTextScript(".code-fence--command code"));

      await tab.hover(".code-fence--command");
      await tab.click(".code-fence--command .code-fence__copy");

      await until(tab, readTextScript(".code-fence--command .code-fence__copy")).toBe("Copied");
      expect(await paste(tab)).toBe(asOneLine(command));
    });

    test("copies a page by its menu, which keys can go through", async () => {
      await tab.open(GUIDE);

      await tab.click(".page-actions__button");
      await until(tab, "document.activeElement?.textContent").toBe("Copy as Markdown");
      await tab.press("ArrowDown");
      await until(tab, "document.activeElement?.textContent").toBe("View as Markdown");
      await tab.click("[role=menuitem]");

      await until(tab, readTextScript(".page-actions__button")).toBe("Copied");
      expect(await paste(tab)).toMatch(/^# Run MCP servers with the CLI/);
    });

    test("fetches pages for later, when a link is in view", async () => {
      await tab.open(GUIDE);

      const fetched = async () => (await tab.read<string[]>(FETCHED_FOR_LATER)).filter(hasRequested(other));
      await expect.poll(async () => (await fetched()).length).toBeGreaterThan(3);
    });

    test("shows an unknown address as a page that helps", async () => {
      await tab.open("/toolhive/guides-cli/no_such-guide");

      await until(tab, readTextScript("h1")).toBe("Page Not Found");
      await until(tab, readFieldScript("main input[type=search]")).toBe("guides cli no such guide");
    });
  });
}

/** As a field of one line shows it. */
const asOneLine = (text: string) => text.trim().replaceAll("\n", " ");

/** @returns What the clipboard holds, by pasting it where a reader would. */
async function paste(shown: BrowserTab): Promise<string> {
  await shown.press("Control+k");
  await until(shown, "document.activeElement?.type").toBe("search");
  await shown.press("Control+v");
  await until(shown, readFieldScript(".DocSearch-Input")).not.toBe("");
  return await shown.read(readFieldScript(".DocSearch-Input"));
}

/** @returns The brightest pixel, 0 to 255, of an element's bar: what is between its content and its right edge. */
async function measureBrightest(shown: BrowserTab, selector: string): Promise<number> {
  const picture = await shown.takePicture();
  await shown.read(`void (async () => {
    window.brightest = undefined;
    const image = new Image();
    image.src = "data:image/png;base64,${picture}";
    await image.decode();
    const scale = image.width / innerWidth;
    const box = document.querySelector(${quoteScript(selector)});
    const edges = box.getBoundingClientRect();
    const left = edges.left + box.clientLeft + box.clientWidth;
    const width = Math.floor((edges.right - left) * scale);
    if (width < 1) { window.brightest = 0; return; }
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    const drawn = canvas.getContext("2d");
    drawn.drawImage(image, 0, 0);
    const height = Math.floor((Math.min(edges.bottom, innerHeight) - edges.top) * scale);
    const { data } = drawn.getImageData(Math.ceil(left * scale), Math.ceil(edges.top * scale), width, height);
    window.brightest = data.reduce((most, value, index) => index % 4 === 3 ? most : Math.max(most, value), 0);
  })()`);
  await until(shown, "window.brightest ?? null").not.toBeNull();
  return await shown.read("window.brightest");
}
