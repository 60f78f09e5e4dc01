/**
 * Weighs first loads of the built site in a real browser: `npm run bench -w @toolhive/website`. Cold cache, desktop, gzip (as in
 * the figures of the reference site; a browser that asks for brotli gets about a tenth less), response headers included.
 * `prefetched` is loaded after the page and is not in its total. Writes `results.json` beside this file and fails when a page is
 * heavier than its goal.
 */
import { writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { CHROMIUM_PATH, startSite } from "./start-site.mjs";

const benchDir = path.dirname(fileURLToPath(import.meta.url));

/** Goals in kB (1000 bytes) and elements: what a first load may weigh, with room for future pages. */
const PAGES = [
  { name: "home", address: "/", goal: { script: 125, total: 225 } },
  { name: "guide", address: "/toolhive/guides-cli/run-mcp-servers", goal: { script: 150, total: 260 } },
  { name: "command", address: "/toolhive/reference/cli/thv_run", goal: { script: 150, total: 260 } },
  { name: "api", address: "/toolhive/reference/api", goal: { script: 150, total: 260, elements: 5000 } },
  { name: "resource", address: "/toolhive/reference/api/workloads", goal: { script: 150, total: 260, elements: 5000 } },
  {
    name: "kind",
    address: "/toolhive/reference/crd-spec/mcpserver",
    goal: { script: 150, total: 260, elements: 5000 },
  },
];

const { origin, close } = await startSite();
const browser = await chromium.launch({
  executablePath: CHROMIUM_PATH,
  args: ["--no-sandbox", "--disable-gpu"],
});

async function weigh(address) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.setExtraHTTPHeaders", { headers: { "accept-encoding": "gzip" } });
  const kinds = new Map();
  const bytes = { document: 0, style: 0, script: 0, font: 0, image: 0, prefetched: 0 };
  const names = { Document: "document", Stylesheet: "style", Script: "script", Font: "font", Image: "image" };
  network.on("Network.responseReceived", ({ requestId, type }) => kinds.set(requestId, names[type] ?? "prefetched"));
  network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId);
    if (kind) bytes[kind] += encodedDataLength;
  });
  await page.goto(origin + address);
  // On a busy machine the network is idle before the scripts are asked for: they wait for the first picture.
  await page.locator("html[data-has-hydrated='true']").waitFor();
  await page.waitForLoadState("networkidle");
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  await context.close();
  const kilobytes = Object.fromEntries(
    Object.entries(bytes).map(([kind, count]) => [kind, Math.round(count / 100) / 10]),
  );
  const total = Object.values(bytes).reduce((sum, count) => sum + count, 0) - bytes.prefetched;
  return { ...kilobytes, total: Math.round(total / 100) / 10, elements };
}

const results = [];
try {
  for (const { name, address, goal } of PAGES) {
    const measured = await weigh(address);
    const missed = Object.entries(goal).filter(([what, limit]) => measured[what] > limit);
    results.push({ name, address, ...measured, goal, isMet: missed.length === 0 });
    const verdict = missed.map(([what, limit]) => `${what} is over ${limit}`).join(", ") || "goal met";
    console.log(`${name.padEnd(8)} ${JSON.stringify(measured)} ${verdict}`);
  }
} finally {
  await browser.close();
  close();
}
const machine = `${os.cpus().length} × ${os.cpus()[0]?.model}, Node ${process.version}`;
await writeFile(path.join(benchDir, "results.json"), `${JSON.stringify({ machine, unit: "kB", results }, null, 2)}\n`);
if (results.some(({ isMet }) => !isMet)) process.exitCode = 1;
