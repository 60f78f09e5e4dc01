/**
 * The pictures of the guides, taken where a test has brought the application. They lie in `website/static/img/ui`, one for
 * each theme; a test that finds another picture than that fails, and leaves both beside each other. After a wanted change:
 * `UPDATE_PICTURES=1 npm run test:e2e -- packages/app/e2e/guides.e2e.test.ts`.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Locator, Page } from "@playwright/test";
import { expect } from "vitest";

const PLACE = fileURLToPath(new URL("../../../website/static/img/ui/", import.meta.url));
const DIFFERENT = fileURLToPath(new URL("../test-results/", import.meta.url));
/** Of the window, CSS pixels; the pictures have twice as many. */
const SIZE = { width: 960, height: 640 };
/** CSS pixels between what a picture ends with and its edge. */
const MARGIN = 10;
/** Share of pixels that may differ: another version of Chromium draws the edges of letters otherwise. */
const MAX_DIFFERENT = 0.003;
/** Milliseconds that a page has to become the picture. */
const STEADY_MS = 10_000;
/** Of the WebP encoder: letters of 12 pixels are as sharp as at 0.9, and the file has a fifth less. */
const QUALITY = 0.8;
/** Beside each picture lies one with a pixel for each CSS pixel, which a browser on a usual screen takes. */
const SMALL = { suffix: "-960", share: 0.5, quality: 0.5 };

/** What differs from run to run or from machine to machine, and what a picture shows in its place. */
const STEADY: readonly (readonly [string, string])[] = [
  [":\\d{4,5}/", ":26683/"],
  ["\\b(?:now|\\d+ (?:second|minute|hour)s? ago)\\b", "1 minute ago"],
  ["\\b\\d{1,2}:\\d{2}:\\d{2}\\.\\d{3}\\b", "09:41:00.125"],
  ["\\b\\d+ ms\\b", "12 ms"],
  ["\\b\\d{1,2}:\\d{2}:\\d{2}\\b", "09:41:00"],
  ["\\b\\d+\\.\\d+\\.\\d+\\+\\w+", "28.2.2"],
  ["\\bv\\d+\\.\\d+\\.\\d+\\b", "v0.2.0"],
  ["/tmp/\\S*?/(?=\\.\\w+/)", "/home/ada/"],
  ["\\b\\d+(?:\\.\\d+)? MB\\b", "84 MB"],
];

export class Pictures {
  readonly #encoder: Page;

  private constructor(encoder: Page) {
    this.#encoder = encoder;
  }

  static async open(browser: Browser): Promise<Pictures> {
    return new Pictures(await browser.newPage());
  }

  /** @returns A window for pictures. Fonts that come late are waited for, although the application would go on without them. */
  async openWindow(browser: Browser): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: SIZE, deviceScaleFactor: 2, reducedMotion: "reduce" });
    await context.route("**/*.css", async (route) => {
      const response = await route.fetch();
      const css = await response.text();
      await route.fulfill({ response, body: css.replaceAll("font-display:optional", "font-display:block") });
    });
    return context;
  }

  /**
   * @param page In a window of `openWindow`.
   * @param end What the picture ends with, so that it does not end within a section. Default: at the window's height.
   */
  async take(page: Page, name: string, end?: Locator): Promise<void> {
    await page.evaluate(() => document.fonts.ready);
    if (end !== undefined) await fitWindow(page, end);
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      await page.mouse.move(0, 0);
      await this.#compare(`${name}-${theme}`, page);
    }
    await page.emulateMedia({ colorScheme: null });
    await page.setViewportSize(SIZE);
  }

  /** Takes the picture again while it differs: a dialog that closes, or a list that loads, is drawn some frames later. */
  async #compare(name: string, page: Page): Promise<void> {
    const path = `${PLACE}${name}.webp`;
    if (process.env.UPDATE_PICTURES !== undefined) {
      await mkdir(PLACE, { recursive: true });
      const png = await this.#capture(page);
      await writeFile(path, await this.#encode(png));
      await writeFile(`${PLACE}${name}${SMALL.suffix}.webp`, await this.#encode(png, SMALL));
      return;
    }
    const expected = await readFile(path);
    const deadline = performance.now() + STEADY_MS;
    let actual: Buffer;
    let share: number;
    do {
      actual = await this.#encode(await this.#capture(page));
      share = await this.#encoder.evaluate(measureDifference, [toUrl(expected), toUrl(actual)] as const);
    } while (share > MAX_DIFFERENT && performance.now() < deadline);
    if (share > MAX_DIFFERENT) {
      await mkdir(DIFFERENT, { recursive: true });
      await writeFile(`${DIFFERENT}${name}-expected.webp`, expected);
      await writeFile(`${DIFFERENT}${name}-actual.webp`, actual);
    }
    expect(share, `${name}: both pictures are in ${DIFFERENT}`).toBeLessThanOrEqual(MAX_DIFFERENT);
  }

  /** @returns PNG of what the page shows now. */
  async #capture(page: Page): Promise<Buffer> {
    await page.evaluate(makeSteady, STEADY);
    return await page.screenshot({ animations: "disabled", caret: "hide" });
  }

  /** @param how The share of the width and the height that the WebP has, and its quality. */
  async #encode(png: Buffer, { share, quality } = { share: 1, quality: QUALITY }): Promise<Buffer> {
    const url = `data:image/png;base64,${png.toString("base64")}`;
    const encoded = await this.#encoder.evaluate(encodeAsWebP, [url, quality, share] as const);
    return Buffer.from(encoded.slice(encoded.indexOf(",") + 1), "base64");
  }
}

async function fitWindow(page: Page, end: Locator): Promise<void> {
  const box = await end.boundingBox();
  if (box === null) throw new Error(`Nothing is to be seen of ${end}.`);
  await page.setViewportSize({ ...SIZE, height: Math.ceil(box.y + box.height) + MARGIN });
}

function toUrl(webp: Buffer): string {
  return `data:image/webp;base64,${webp.toString("base64")}`;
}

// What follows runs in the browser.

function makeSteady(replacements: readonly (readonly [string, string])[]): void {
  const steady = (text: string) =>
    replacements.reduce(
      (result, [pattern, replacement]) => result.replace(new RegExp(pattern, "g"), replacement),
      text,
    );
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const { nodeValue } = node;
    if (nodeValue !== null && steady(nodeValue) !== nodeValue) node.nodeValue = steady(nodeValue);
  }
}

async function encodeAsWebP([url, quality, share]: readonly [string, number, number]): Promise<string> {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(image.naturalWidth * share), Math.round(image.naturalHeight * share)];
  const context = canvas.getContext("2d");
  if (!context) throw new Error("There is no canvas.");
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/webp", quality);
}

/** @returns Share of pixels that differ visibly, 1 for pictures of different sizes. */
async function measureDifference(urls: readonly [string, string]): Promise<number> {
  /** Of a channel, of 255. */
  const VISIBLE = 48;
  const read = async (url: string) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext("2d");
    if (!context) throw new Error("There is no canvas.");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, canvas.width, canvas.height);
  };
  const [one, other] = [await read(urls[0]), await read(urls[1])];
  if (one.width !== other.width || one.height !== other.height) return 1;
  let different = 0;
  for (let pixel = 0; pixel < one.data.length; pixel += 4) {
    const isDifferent = [0, 1, 2].some(
      (channel) => Math.abs((one.data[pixel + channel] ?? 0) - (other.data[pixel + channel] ?? 0)) > VISIBLE,
    );
    if (isDifferent) different += 1;
  }
  return different / (one.width * one.height);
}
