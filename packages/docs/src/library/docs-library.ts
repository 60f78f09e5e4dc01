/** The documentation that one program answers from: its content, and the search over it. */
import { BRAND } from "@toolhive/core/brand";
import { computeEditDistance } from "@toolhive/core/nearest";
import type { EngineAnswer, EngineQuery } from "@toolhive/search/offline";
import type { DocsContent, DocsPage, DocsSection } from "../pack/docs-content.ts";

export type AskEngine = (query: EngineQuery) => EngineAnswer | Promise<EngineAnswer>;

/** Pages that are named when a path is none. */
const MAX_NEAREST = 3;
/** Characters of a path that are compared; the longest has below 100. */
const MAX_COMPARED = 80;

export interface SectionText extends DocsSection {
  /** Where it ends: the next heading. */
  readonly end: number;
  /** Where it ends with all sections below it. */
  readonly endOfAll: number;
}

export class DocsLibrary {
  readonly content: DocsContent;
  readonly ask: AskEngine;
  readonly #pages: ReadonlyMap<string, DocsPage>;
  /** Titles above the first of a page's sections, in all. */
  readonly #sections = new Map<string, readonly SectionText[]>();

  constructor(content: DocsContent, ask: AskEngine) {
    this.content = content;
    this.ask = ask;
    // By address, too: each hit of a search is looked up by it.
    this.#pages = new Map(
      content.pages.flatMap((page) => [[page.path, page] as const, [`${content.siteUrl}${page.path}`, page] as const]),
    );
  }

  /** @param asked A path, with or without the documentation's own segment, or an address; with or without an anchor. */
  findPage(asked: string): DocsPage | undefined {
    const known = this.#pages.get(asked);
    if (known !== undefined) return known;
    const path = readPath(asked, this.content.siteUrl);
    return this.#pages.get(path) ?? this.#pages.get(`/${BRAND.docsSegment}${path === "/" ? "" : path}`);
  }

  /** Paths of the pages that a mistyped path may have meant, best first. */
  findNearestPaths(asked: string): string[] {
    const wanted = readPath(asked, this.content.siteUrl).slice(-MAX_COMPARED);
    const words = new Set(splitWords(wanted));
    return this.content.pages
      .map(({ path }) => {
        const shared = splitWords(path).filter((word) => words.has(word)).length;
        return { path, distance: computeEditDistance(wanted, path.slice(-MAX_COMPARED)) - 6 * shared };
      })
      .sort((left, right) => left.distance - right.distance)
      .slice(0, MAX_NEAREST)
      .map(({ path }) => path);
  }

  listSections({ path, sections, markdown }: DocsPage): readonly SectionText[] {
    const known = this.#sections.get(path);
    if (known !== undefined) return known;
    const made = sections.map((section, index) => {
      const following = sections.slice(index + 1);
      const end = following[0]?.start ?? markdown.length;
      return {
        ...section,
        end,
        endOfAll: following.find(({ level }) => level <= section.level)?.start ?? markdown.length,
      };
    });
    this.#sections.set(path, made);
    return made;
  }

  /** A section by its anchor or its title, as it was written or nearly. */
  findSection(page: DocsPage, asked: string): SectionText | undefined {
    const sections = this.listSections(page);
    const wanted = reduce(asked.replace(/^#/, ""));
    return (
      sections.find(({ anchor }) => anchor !== null && reduce(anchor) === wanted) ??
      sections.find(({ title }) => reduce(title) === wanted) ??
      (wanted.length < 3 ? undefined : sections.find(({ title }) => reduce(title).includes(wanted)))
    );
  }

  /** @param path As pages have it, perhaps with an anchor. */
  formatAddress(path: string): string {
    return `${this.content.siteUrl}${path}`;
  }

  /** Without the site's own address in its links, which would be a tenth of the text. */
  shorten(markdown: string): string {
    return markdown.replaceAll(`](${this.content.siteUrl}/`, "](/");
  }
}

/** The path that an address, a path or a part of one means; `/` for nothing. */
function readPath(asked: string, siteUrl: string): string {
  const text = asked.trim().slice(0, 2_000);
  const isAddress = /^https?:\/\//i.test(text) && URL.canParse(text);
  let path = isAddress ? new URL(text).pathname : (text.split(/[?#]/)[0] ?? "");
  const base = new URL(siteUrl).pathname;
  if (isAddress && base !== "/" && path.startsWith(`${base}/`)) path = path.slice(base.length);
  try {
    path = decodeURIComponent(path);
  } catch {
    // A bare percent sign is itself.
  }
  const bare = path.replace(/(?:\/index)?\.(?:md|mdx|html)$/, "");
  return `/${bare
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/")}`;
}

/** The anchor of a path or an address; empty without one. */
export function readAnchor(asked: string): string {
  const hash = asked.indexOf("#");
  return hash < 0 ? "" : asked.slice(hash + 1).trim();
}

function splitWords(path: string): string[] {
  return path.split(/[^a-z0-9]+/i).filter((word) => word.length > 2 && word !== BRAND.docsSegment);
}

function reduce(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
