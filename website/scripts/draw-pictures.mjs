/**
 * Draws the pictures that must be bitmaps: the site's social card (1200 × 630) and icon for home screens (180 × 180), and the
 * application's icons.
 * Run it after changing the logo or the tagline: `node website/scripts/draw-pictures.mjs` (needs Chromium and a build).
 */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { build } from "esbuild";

const websiteDir = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const imageDir = path.join(websiteDir, "static/img");
const appDir = path.join(websiteDir, "../packages/app/public");
const font = await readFile(
  path.join(
    websiteDir,
    "../node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2",
  ),
  "base64",
);
const logo = await readFile(path.join(imageDir, "logo-dark.svg"), "utf8");
const way = await readFile(path.join(imageDir, "way-dark.svg"), "utf8");
const { BRAND } = await readBrand();

/** The brand is TypeScript, which Node 20 does not read. */
async function readBrand() {
  const { outputFiles } = await build({
    stdin: { contents: 'export { BRAND } from "@toolhive/core/brand";', resolveDir: websiteDir },
    bundle: true,
    format: "esm",
    write: false,
  });
  return await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const style = `@font-face{font-family:S;font-weight:400 700;src:url(data:font/woff2;base64,${font})}*{margin:0;box-sizing:border-box}body{background:#121416;color:#f0eee8;font-family:S}`;
const card = `<style>${style}body{padding:84px 88px;width:1200px;height:630px}header{display:flex;align-items:center;gap:20px;font-size:38px;font-weight:650}header svg{width:64px}h1{font-size:88px;letter-spacing:-.03em;line-height:1.04;margin:64px 0 36px;font-weight:650}footer svg{width:640px}</style><header>${logo}${BRAND.product}</header><h1>${BRAND.tagline}</h1><footer>${way}</footer>`;
/** Everything that matters is in the middle 80 %, so that a system may cut any shape out of it. */
const drawIcon = (/** @type {number} */ size) =>
  `<style>${style}body{width:${size}px;height:${size}px;display:grid;place-items:center}svg{width:71%;height:auto}</style>${logo}`;
const tab = await readFile(path.join(appDir, "icon.svg"), "utf8");

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
async function draw(/** @type {string} */ html, /** @type {number} */ width, /** @type {number} */ height) {
  const page = await browser.newPage({ viewport: { width, height } });
  await page.setContent(html);
  await page.evaluate(() => document.fonts.ready);
  return await page.screenshot({ omitBackground: true });
}
await writeFile(path.join(imageDir, "social-card.png"), await draw(card, 1200, 630));
await writeFile(path.join(imageDir, "touch-icon.png"), await draw(drawIcon(180), 180, 180));
for (const size of [180, 192, 512])
  await writeFile(path.join(appDir, `icon-${size}.png`), await draw(drawIcon(size), size, size));
const small = await draw(`<style>*{margin:0}svg{display:block;width:32px}</style>${tab}`, 32, 32);
await writeFile(path.join(appDir, "favicon.ico"), wrapIcon(small, 32));
await browser.close();

/** A file of one picture, as programs ask for that read no HTML. */
function wrapIcon(/** @type {Buffer} */ png, /** @type {number} */ size) {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.writeUInt8(size, 6);
  head.writeUInt8(size, 7);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}
