/** The system's Firefox, without a window, over WebDriver BiDi. */
import { existsSync } from "node:fs";
import { type Browser, firefox, type Page } from "@playwright/test";
import type { BrowserTab, LaunchedBrowser, OtherBrowser } from "./other-browser.ts";

const FIREFOX = process.env.FIREFOX_PATH ?? "/usr/bin/firefox-esr";

/** For each picture Playwright puts a style of its own into the page, whose policy forbids it. */
const STYLE_OF_PICTURES = "sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA=";

/** Why it cannot be tried here, for a title; empty when it can. */
export const FIREFOX_IS_MISSING = existsSync(FIREFOX) ? "" : `left out: there is no ${FIREFOX}`;

/** @param home A folder for what it would write into the user's. */
export async function launchFirefox(home: string): Promise<LaunchedBrowser> {
  const browser = await firefox.launch({
    // With this channel Playwright speaks BiDi to a stock Firefox, in place of its own protocol to its own build.
    channel: "moz-firefox",
    executablePath: FIREFOX,
    env: { ...process.env, HOME: home },
    // Bars that take room: the others are only drawn while something moves.
    firefoxUserPrefs: { "widget.gtk.overlay-scrollbars.enabled": false },
  });
  return { start: (origin) => startFirefox(browser, origin), close: () => browser.close() };
}

async function startFirefox(browser: Browser, origin: string): Promise<OtherBrowser> {
  const context = await browser.newContext({ baseURL: origin, viewport: { width: 1280, height: 900 } });
  const notices: string[] = [];
  const requests: string[] = [];
  context.on("request", (request) => requests.push(new URL(request.url()).pathname));
  context.on("console", (message) => notices.push(`${message.type()}: ${message.text()}`));
  context.on("weberror", (error) => {
    const { message } = error.error();
    if (!message.includes(STYLE_OF_PICTURES)) notices.push(`error: ${message}`);
  });
  return {
    newTab: async () => wrapPage(await context.newPage()),
    notices: () => notices,
    requests: () => requests,
    close: () => context.close(),
  };
}

function wrapPage(page: Page): BrowserTab {
  return {
    async open(path) {
      await page.goto(path);
      await page.locator("html[data-has-hydrated=true]").waitFor();
    },
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
    click: (selector) => page.locator(selector).first().click(),
    hover: (selector) => page.locator(selector).first().hover(),
    read: (expression) => page.evaluate(expression),
    resize: (width, height) => page.setViewportSize({ width, height }),
    takePicture: async () => (await page.screenshot()).toString("base64"),
  };
}
