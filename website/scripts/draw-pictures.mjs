/**
 * Draws the pictures that must be bitmaps: the social card (1200 × 630) and the icon for home screens (180 × 180).
 * Run it after changing the logo or the tagline: `node website/scripts/draw-pictures.mjs` (needs Chromium and a build).
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { build } from "esbuild";

const websiteDir = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const imageDir = path.join(websiteDir, "static/img");
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
const icon = `<style>${style}body{width:180px;height:180px;display:grid;place-items:center}svg{width:128px}</style>${logo}`;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
for (const [file, html, width, height] of [
  ["social-card.png", card, 1200, 630],
  ["touch-icon.png", icon, 180, 180],
]) {
  const page = await browser.newPage({ viewport: { width, height } });
  await page.setContent(html);
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: path.join(imageDir, file) });
}
await browser.close();
