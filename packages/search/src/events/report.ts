/** What people searched, what found nothing, what they clicked: sums over the events' files. */
import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { EventLine } from "./event-line.ts";

interface QueryCount {
  readonly query: string;
  readonly searches: number;
  readonly clicks: number;
}

export interface SearchReport {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly searches: number;
  readonly withoutHits: number;
  readonly clicks: number;
  readonly views: number;
  readonly topQueries: readonly QueryCount[];
  /** Queries that found nothing, most frequent first. */
  readonly nothingFound: readonly QueryCount[];
  /** Searched at least three times, never clicked. */
  readonly neverClicked: readonly QueryCount[];
  readonly topPages: readonly { readonly page: string; readonly clicks: number }[];
  /** Lines that are no events, such as one cut by a power failure. */
  readonly unreadable: number;
}

const MIN_SEARCHES_TO_JUDGE = 3;

interface Row extends QueryCount {
  searches: number;
  clicks: number;
  empty: number;
}

/** The page of an object id, which is a position and an address. */
function readPagePath(objectID: string): string {
  return objectID.replace(/^\d+-/, "").replace(/^https?:\/\/[^/]+/, "");
}

/**
 * Reads the files line by line, oldest first; a missing file counts as empty.
 *
 * @param limit Rows of each list. Default 20.
 * @throws the system's error when a file exists and cannot be read.
 */
export async function createReport(files: readonly string[], limit = 20): Promise<SearchReport> {
  const rowsByQuery = new Map<string, Row>();
  const pages = new Map<string, number>();
  const sums = { searches: 0, withoutHits: 0, clicks: 0, views: 0, unreadable: 0 };
  let from: string | undefined;
  let to: string | undefined;
  const row = (query: string): Row => {
    const known = rowsByQuery.get(query) ?? { query, searches: 0, clicks: 0, empty: 0 };
    rowsByQuery.set(query, known);
    return known;
  };
  for await (const line of readLines(files)) {
    const event = parseLine(line);
    if (event === undefined) {
      sums.unreadable += 1;
      continue;
    }
    from = from === undefined || event.at < from ? event.at : from;
    to = to === undefined || event.at > to ? event.at : to;
    if (event.kind === "view") sums.views += 1;
    else if (event.kind === "search") {
      const counted = row(event.query ?? "");
      counted.searches += 1;
      sums.searches += 1;
      if (event.hits === 0) {
        counted.empty += 1;
        sums.withoutHits += 1;
      }
    } else {
      sums.clicks += 1;
      if (event.query !== undefined) row(event.query).clicks += 1;
      for (const id of event.objectIDs ?? []) pages.set(readPagePath(id), (pages.get(readPagePath(id)) ?? 0) + 1);
    }
  }
  const rows = [...rowsByQuery.values()].sort((a, b) => b.searches - a.searches || (a.query < b.query ? -1 : 1));
  const top = (list: readonly Row[]): QueryCount[] =>
    list.slice(0, limit).map(({ query, searches, clicks }) => ({ query, searches, clicks }));
  return {
    from,
    to,
    ...sums,
    topQueries: top(rows.filter(({ searches }) => searches > 0)),
    nothingFound: top(rows.filter(({ empty }) => empty > 0).sort((a, b) => b.empty - a.empty)),
    neverClicked: top(rows.filter((r) => r.clicks === 0 && r.empty === 0 && r.searches >= MIN_SEARCHES_TO_JUDGE)),
    topPages: [...pages]
      .sort((a, b) => b[1] - a[1])
      .slice(0, limit)
      .map(([page, clicks]) => ({ page, clicks })),
  };
}

async function* readLines(files: readonly string[]): AsyncGenerator<string> {
  for (const file of files) {
    try {
      await access(file);
    } catch {
      // Nothing was written to it yet.
      continue;
    }
    for await (const line of createInterface({ input: createReadStream(file) })) if (line !== "") yield line;
  }
}

function parseLine(line: string): EventLine | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null || !("kind" in value) || !("at" in value)) return undefined;
    return value as EventLine;
  } catch {
    return undefined;
  }
}

/** The report as text for a terminal. */
export function formatReport(report: SearchReport): string {
  const { from, to, searches, withoutHits, clicks, views } = report;
  if (from === undefined || to === undefined) return "No searches yet.";
  const share = searches === 0 ? 0 : Math.round((withoutHits / searches) * 100);
  const lines = [
    `Searches from ${from} to ${to}`,
    "",
    `${searches} searches, ${withoutHits} found nothing (${share} %), ${clicks} clicks, ${views} lists viewed`,
  ];
  const table = (title: string, rows: readonly QueryCount[]): void => {
    if (rows.length === 0) return;
    lines.push("", title, "  searches  clicks  query");
    for (const row of rows) {
      lines.push(`  ${String(row.searches).padStart(8)}  ${String(row.clicks).padStart(6)}  ${row.query}`);
    }
  };
  table("Most searched", report.topQueries);
  table("Found nothing", report.nothingFound);
  table("Never clicked", report.neverClicked);
  if (report.topPages.length > 0) {
    lines.push("", "Most clicked", "    clicks  page");
    for (const { page, clicks: count } of report.topPages) lines.push(`  ${String(count).padStart(8)}  ${page}`);
  }
  if (report.unreadable > 0) lines.push("", `${report.unreadable} lines could not be read`);
  return lines.join("\n");
}
