/** Records for engines that do not escape: their texts are HTML before they are uploaded. */
import { escapeHtml } from "@toolhive/http/values";
import { HIERARCHY_LEVELS, type Hierarchy, type SearchRecord } from "../records/search-record.ts";
import { withoutMarkup } from "./escape.ts";

/** The record with its texts as HTML. */
export function escapeTexts(record: SearchRecord): SearchRecord {
  const hierarchy: Hierarchy = { ...record.hierarchy };
  for (const level of HIERARCHY_LEVELS) {
    const text = hierarchy[level];
    if (text !== null) hierarchy[level] = level === "lvl0" ? withoutMarkup(text) : escapeHtml(text);
  }
  return { ...record, hierarchy, content: record.content === null ? null : escapeHtml(record.content) };
}
