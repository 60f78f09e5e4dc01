/**
 * Where each feature is explained, and on which pages a reader has to meet it: `feature-places.json`. A page names a feature when
 * one of its paragraphs, list items, rows or cards has a word for it and a link to the section that explains it.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import table from "./feature-places.json" with { type: "json" };

const WEBSITE = path.join(import.meta.dirname, "..");

export interface Feature {
  readonly name: string;
  readonly home: string;
  readonly elsewhere?: readonly string[];
  readonly words: readonly string[];
  readonly commands: readonly string[];
  readonly places: readonly string[];
}

export const FEATURES: readonly Feature[] = table.features;

/** The source of a route's page, or `undefined` where nobody has written one: pages of the reference are generated. */
export function findPageSource(route: string): string | undefined {
  const [page = ""] = route.split("#");
  const file = listFiles(page).find((each) => existsSync(each));
  return file === undefined ? undefined : readFileSync(file, "utf8");
}

function listFiles(route: string): string[] {
  if (route === "/") return [path.join(WEBSITE, "src/pages/index.tsx")];
  const place = path.join(WEBSITE, "docs", route);
  return [path.join(place, "index.mdx"), `${place}.mdx`];
}

/** Whether a section of the page has the route's anchor; a route without one only needs its page. */
export function hasSection(source: string, route: string): boolean {
  const [, anchor] = route.split("#");
  if (anchor === undefined) return true;
  const headings = source.split("\n").filter((line) => /^#{2,6} /.test(line));
  return headings.some((line) => line.includes(`{#${anchor}}`) || toSlug(line) === anchor);
}

function toSlug(heading: string): string {
  return heading
    .replace(/^#+ /, "")
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");
}

/**
 * @param route Of the page that has the text; relative links start there.
 * @returns Whether one block of the text has a word for the feature and a link to a section that explains it.
 */
export function namesFeature(source: string, route: string, { home, elsewhere = [], words }: Feature): boolean {
  const targets = [home, ...elsewhere];
  return splitBlocks(source).some(
    (block) =>
      words.some((word) => hasWord(block, word)) &&
      listTargets(block, route).some((link) => targets.some((target) => leadsTo(link, target))),
  );
}

/** Paragraphs, list items, rows and cards; in a component of the home page, its elements and the entries of its lists. */
function splitBlocks(source: string): string[] {
  return source.replace(/^---\n[\s\S]*?\n---\n/, "").split(/\n\s*\n|\n(?=\s*(?:[-|]|\d+\.|<Card |<div|\{$))/);
}

function hasWord(block: string, word: string): boolean {
  const text = block
    .toLowerCase()
    .replaceAll(/\]\([^)]*\)|to(?:=|: )"[^"]*"/g, " ")
    .replaceAll(/\s+/g, " ");
  return ` ${text.replaceAll(/[^a-z0-9.]+/g, " ").replaceAll(/\.(?= |$)/g, "")} `.includes(` ${word} `);
}

function listTargets(block: string, route: string): string[] {
  const relative = [...block.matchAll(/\]\(([^)\s]+)\)/g)].map(([, url = ""]) => url);
  const absolute = [...block.matchAll(/to(?:=|: )"([^"]+)"/g)].map(([, url = ""]) => url);
  return [...relative, ...absolute].map((url) => resolveLink(url, route));
}

function resolveLink(url: string, route: string): string {
  const { pathname, hash } = new URL(url, `https://site.example${isFolder(route) ? withSlash(route) : route}`);
  return pathname.replace(/\.mdx$/, "").replace(/\/index$/, "/") + hash;
}

/** Landing pages lie in their folder, other pages beside it. */
function isFolder(route: string): boolean {
  return route === "/" || existsSync(path.join(WEBSITE, "docs", route, "index.mdx"));
}

const withSlash = (route: string) => (route.endsWith("/") ? route : `${route}/`);
const withoutSlash = (route: string) => route.replace(/(?<=.)\/(?=$|#)/, "");

/** A link to a section of a page leads to the page, too. */
function leadsTo(link: string, target: string): boolean {
  const [place, wanted] = [withoutSlash(link), withoutSlash(target)];
  return place === wanted || (!wanted.includes("#") && place.startsWith(`${wanted}#`));
}
