/** What the first load of a page weighs: files that the browser asked for, at their sizes in the built site, gzip. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";
import { openPage, siteOrigin } from "./site.ts";

const buildDir = path.join(__dirname, "../../build");
/** The metadata of a page of the documentation in its own script. */
const METADATA = `JSON.parse('{"id":"`;
const ELEMENT = /<[a-z]/g;

export interface BuiltPage {
  readonly address: string;
  /** Of the script that only this page has, gzip. */
  readonly scriptBytes: number;
  readonly documentBytes: number;
  readonly elements: number;
}

/** All pages that have a script of their own: those of the documentation. */
export function listBuiltPages(): readonly BuiltPage[] {
  const scripts = path.join(buildDir, "assets/js");
  return readdirSync(scripts).flatMap((name) => {
    if (!name.endsWith(".js")) return [];
    const [, metadata = ""] = readFileSync(path.join(scripts, name), "utf8").split(METADATA);
    const [, address] = /"permalink":"([^"]+)"/.exec(metadata) ?? [];
    if (address === undefined) return [];
    const page = path.join(buildDir, address, "index.html");
    return [
      {
        address,
        scriptBytes: measureSize(path.join(scripts, name)),
        documentBytes: measureSize(page),
        elements: readFileSync(page, "utf8").match(ELEMENT)?.length ?? 0,
      },
    ];
  });
}

export interface PageWeight {
  readonly script: number;
  readonly total: number;
}

/**
 * In kB, 1000 bytes. What is fetched for later is not counted, nor are pictures below the screen: on a fast connection the browser
 * fetches those early, too.
 */
export async function weighPage(page: Page, address: string): Promise<PageWeight> {
  await openPage(page, address);
  const requested = await page.evaluate(() => {
    const below = [...document.images].filter((image) => image.getBoundingClientRect().top > innerHeight);
    const later = new Set(below.map(({ currentSrc }) => currentSrc));
    return (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
      .filter(({ initiatorType }) => ["script", "css", "link", "img"].includes(initiatorType))
      .filter(({ name }) => !later.has(name))
      .map(({ name, initiatorType }) => ({ name, kind: initiatorType }));
  });
  const prefetched = /\.(?:js|json)$/;
  const files = requested.filter(
    ({ name, kind }) => name.startsWith(siteOrigin()) && !(kind === "link" && prefetched.test(name)),
  );
  const weigh = (wanted: typeof files) =>
    wanted.reduce((sum, { name }) => sum + measureSize(path.join(buildDir, new URL(name).pathname)), 0);
  const script = weigh(files.filter(({ name }) => name.endsWith(".js")));
  const others = weigh(files.filter(({ name }) => !name.endsWith(".js")));
  return {
    script: script / 1000,
    total: (script + others + measureSize(path.join(buildDir, address, "index.html"))) / 1000,
  };
}

function measureSize(file: string): number {
  return (statSync(`${file}.gz`, { throwIfNoEntry: false }) ?? statSync(file)).size;
}
