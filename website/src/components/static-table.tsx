/**
 * A table whose HTML was made when the page was compiled (`plugins/markdown/static-tables`). A long one can be narrowed to the rows
 * that hold some text.
 */
import ExecutionEnvironment from "@docusaurus/ExecutionEnvironment";
import useBrokenLinks from "@docusaurus/useBrokenLinks";
import { type ChangeEvent, useMemo, useRef, useState } from "react";

export interface StaticTableProps {
  readonly html: string;
  /** Number of rows below the head. */
  readonly rows: string;
}

/** Shorter tables are seen at a glance. */
const MIN_FILTERED_ROWS = 12;

export function StaticTable({ html, rows }: StaticTableProps) {
  const brokenLinks = useBrokenLinks();
  const box = useRef<HTMLDivElement>(null);
  // The same object at each rendering: with another one the browser would create all rows again, and show them.
  const content = useMemo(() => ({ __html: html }), [html]);
  const [shown, setShown] = useState<number>();
  if (!ExecutionEnvironment.canUseDOM) {
    // The build checks links and their anchors; it sees only those that are reported to it.
    for (const [, id] of html.matchAll(/<span id="([^"]+)"/g)) brokenLinks.collectAnchor(id ?? "");
    for (const [, hash] of html.matchAll(/<a href="(#[^"]+)"/g)) brokenLinks.collectLink(hash ?? "");
  }

  const narrow = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const wanted = target.value.trim().toLowerCase();
    let count = 0;
    for (const row of box.current?.querySelectorAll<HTMLElement>("tbody tr") ?? []) {
      row.hidden = !(row.textContent ?? "").toLowerCase().includes(wanted);
      if (!row.hidden) count++;
    }
    setShown(wanted === "" ? undefined : count);
  };

  return (
    <>
      {Number(rows) >= MIN_FILTERED_ROWS && (
        <div className="table-filter" data-search-exclude="">
          <input type="search" aria-label="Filter the table" placeholder="Filter…" onChange={narrow} />
          <span role="status">{shown === undefined ? `${rows} rows` : `${shown} of ${rows} rows`}</span>
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard. */}
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: made at build time from escaped text. */}
      <div className="scroll-table" tabIndex={0} ref={box} dangerouslySetInnerHTML={content} />
    </>
  );
}
