/** Small indexes in memory, made of pages that a test writes down, and questions to them. */

import { buildIndexData } from "../engine/index/build-index-data.ts";
import { decodeIndex, encodeIndex } from "../engine/index/index-format.ts";
import { OwnEngine } from "../engine/memory/memory-engine.ts";
import type { EngineAnswer, EngineQuery } from "../engine/search-engine.ts";
import { EMPTY_HIERARCHY, type SearchRecord } from "../records/search-record.ts";
import { PLAIN_QUERY } from "./plain-query.ts";

interface Section {
  heading?: string;
  /** Of the heading. */
  questions?: string[];
  text?: string;
  more?: string;
}

export interface Page {
  path: string;
  title: string;
  keywords?: string[];
  questions?: string[];
  pageRank?: number;
  tag?: string;
  sections?: Section[];
}

export function createRecords(page: Page): SearchRecord[] {
  const { path, title, keywords = [], questions = [], pageRank = 0, tag = "docs", sections = [] } = page;
  const base = { ...EMPTY_HIERARCHY, lvl0: "Docs", lvl1: title };
  const url = `https://x.test${path}`;
  const drafts: Partial<SearchRecord>[] = [
    { type: "lvl1", content: null, hierarchy: base, anchor: null, keywords, questions },
  ];
  for (const [number, { heading, questions: asked = [], text, more }] of sections.entries()) {
    const anchor = `s${number}`;
    const hierarchy = heading === undefined ? base : { ...base, lvl2: heading };
    if (heading !== undefined) drafts.push({ type: "lvl2", content: null, hierarchy, anchor, questions: asked });
    for (const content of [text, more])
      if (content !== undefined) drafts.push({ type: "content", content, hierarchy, anchor });
  }
  return drafts.map((draft, position) => ({
    objectID: `${position}-${url}`,
    url: draft.anchor === null ? url : `${url}#${draft.anchor}`,
    url_without_anchor: url,
    weight: { pageRank, level: 0, position },
    language: "en",
    tag,
    ...draft,
  })) as SearchRecord[];
}

export function createEngine(pages: Page[], settings: Record<string, unknown> = {}): OwnEngine {
  const data = buildIndexData({ indexName: "docs", records: pages.flatMap(createRecords), settings });
  const file = Buffer.concat(encodeIndex(data));
  return new OwnEngine({ data: decodeIndex(file) });
}

export function ask(engine: OwnEngine, text: string, changes: Partial<EngineQuery> = {}): EngineAnswer {
  return engine.search({ ...PLAIN_QUERY, text, ...changes });
}

export const listUrls = ({ hits }: EngineAnswer): string[] =>
  hits.map(({ record }) => record.url.replace("https://x.test", ""));

export const SITE: Page[] = [
  {
    path: "/run",
    title: "thv run",
    sections: [{ heading: "Options", text: "--permission-profile limits what a server reaches" }],
  },
  { path: "/list", title: "thv list", sections: [{ text: "Lists servers. See list-registered for clients." }] },
  { path: "/registered", title: "thv client list-registered" },
  {
    path: "/secrets",
    title: "Secrets management",
    keywords: ["vault"],
    sections: [{ heading: "Store a secret", text: "Keep keys encrypted." }],
  },
  {
    path: "/network",
    title: "Network isolation",
    sections: [{ text: "Permission profiles allow hosts on port 8080." }],
  },
  { path: "/crd", title: "Reference", sections: [{ heading: "Fields", text: "podTemplateSpec and MCPServerSpec" }] },
];
