/**
 * Asks every external address of the pages whether it answers, and writes the date beside it:
 * `npm run links -w @toolhive/website`. Run by hand, because it needs the internet; a unit test keeps the list complete.
 */
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("external-links.json", import.meta.url);
/** @type {Record<string, string>} Address → date of the last answer, or "not checked". */
const links = JSON.parse(readFileSync(file, "utf8"));
const today = new Date().toISOString().slice(0, 10);
/** Milliseconds. */
const TIMEOUT_MS = 15_000;

let failures = 0;
for (const url of Object.keys(links)) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    if (!response.ok) throw new Error(String(response.status));
    links[url] = today;
    console.log(`ok    ${url}`);
  } catch (error) {
    failures += 1;
    console.log(`FAILS ${url}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
writeFileSync(file, `${JSON.stringify(links, null, 2)}\n`);
process.exitCode = failures === 0 ? 0 : 1;
