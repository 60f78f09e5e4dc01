/**
 * A record in DocSearch's shape (record version v3): a heading of a page, or a piece of the text below one.
 * Texts are plain here; they are escaped when they leave, see `wire/escape.ts`.
 */
import { isRecord } from "@toolhive/http/values";

export const HIERARCHY_LEVELS = ["lvl0", "lvl1", "lvl2", "lvl3", "lvl4", "lvl5", "lvl6"] as const;
export type HierarchyLevel = (typeof HIERARCHY_LEVELS)[number];
export type Hierarchy = Record<HierarchyLevel, string | null>;

interface RecordWeight {
  /** Prior of the page, higher is better. Default 0; `docsearch:pageRank` sets it. */
  readonly pageRank: number;
  /** 100 for level 0, 90 for level 1, … 0 for content. */
  readonly level: number;
  /** Order on the page, from 0. */
  readonly position: number;
}

export interface SearchRecord {
  /** Unique in the index and equal between builds: readers keep it in their recent and favourite searches. */
  readonly objectID: string;
  /** Absolute, with the anchor. */
  readonly url: string;
  readonly url_without_anchor: string;
  readonly anchor: string | null;
  readonly type: HierarchyLevel | "content";
  /** The text of a `content` record; of a `lvl1` record the page's description; otherwise null. */
  readonly content: string | null;
  readonly hierarchy: Hierarchy;
  readonly weight: RecordWeight;
  /** Other names of the page on its `lvl1` record: sidebar label, slug, keywords. */
  readonly keywords?: readonly string[];
  /** Questions that the page answers, on its `lvl1` record; that a section answers, on its heading's. */
  readonly questions?: readonly string[];
  /** Everything else: `language`, `version`, `docusaurus_tag` and the page's other `docsearch:` attributes. */
  readonly [attribute: string]: unknown;
}

export const EMPTY_HIERARCHY: Hierarchy = {
  lvl0: null,
  lvl1: null,
  lvl2: null,
  lvl3: null,
  lvl4: null,
  lvl5: null,
  lvl6: null,
};

function readTextOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function readNumberOr(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : fallback;
}

function withoutAnchor(url: string): string {
  const hash = url.indexOf("#");
  return hash < 0 ? url : url.slice(0, hash);
}

/**
 * Completes what an upload brought into a record; unknown attributes are kept.
 *
 * @param decode Applied to every text that is searched, for uploads whose texts are HTML.
 * @throws {TypeError} when there is no `objectID`.
 */
export function toSearchRecord(
  source: Readonly<Record<string, unknown>>,
  decode: (text: string) => string = (text) => text,
): SearchRecord {
  const objectID = source.objectID;
  if ((typeof objectID !== "string" && typeof objectID !== "number") || objectID === "") {
    throw new TypeError("objectID is missing");
  }
  const given = isRecord(source.hierarchy) ? source.hierarchy : {};
  const hierarchy: Hierarchy = { ...EMPTY_HIERARCHY };
  for (const level of HIERARCHY_LEVELS) {
    const text = readTextOrNull(given[level]);
    hierarchy[level] = text === null ? null : decode(text);
  }
  const content = readTextOrNull(source.content);
  const deepest = HIERARCHY_LEVELS.findLast((level) => hierarchy[level] !== null) ?? "lvl1";
  const isType = source.type === "content" || HIERARCHY_LEVELS.some((level) => level === source.type);
  const type = isType ? (source.type as SearchRecord["type"]) : content === null ? deepest : "content";
  const url = typeof source.url === "string" ? source.url : "";
  const weight = isRecord(source.weight) ? source.weight : {};
  const level = type === "content" ? 0 : 100 - 10 * Number(type.slice(3));
  return {
    ...source,
    objectID: String(objectID),
    url,
    url_without_anchor: typeof source.url_without_anchor === "string" ? source.url_without_anchor : withoutAnchor(url),
    anchor: readTextOrNull(source.anchor),
    type,
    content: content === null ? null : decode(content),
    hierarchy,
    weight: {
      pageRank: readNumberOr(weight.pageRank, 0),
      level: readNumberOr(weight.level, level),
      position: readNumberOr(weight.position, 0),
    },
  };
}
