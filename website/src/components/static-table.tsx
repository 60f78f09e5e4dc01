/**
 * A table whose HTML was made when the page was compiled (`plugins/markdown/static-tables`). A long one can be narrowed to the rows
 * that hold some text.
 */
import type { StaticPart } from "@site/plugins/static-text/client/read-parts.ts";
import { type ChangeEvent, type RefObject, useEffect, useRef, useState } from "react";
import { useStaticLinks } from "./static-links.ts";

export interface StaticTableProps {
  readonly part: StaticPart;
  /** Number of rows below the head. */
  readonly rows: string;
}

/** Shorter tables are seen at a glance. */
const MIN_FILTERED_ROWS = 12;

export function StaticTable({ part, rows }: StaticTableProps) {
  const box = useRef<HTMLDivElement>(null);
  useStaticLinks(part, box);
  const [shown, setShown] = useState<number>();
  const isLong = Number(rows) >= MIN_FILTERED_ROWS;
  const fits = useFits(box, isLong);

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
      {isLong && (
        <div className="table-filter" data-search-exclude="">
          <input type="search" aria-label="Filter the table" placeholder="Filter…" onChange={narrow} />
          <span role="status">{shown === undefined ? `${rows} rows` : `${shown} of ${rows} rows`}</span>
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard. */}
      <div className="scroll-table" tabIndex={0} ref={box} data-fits={fits || undefined} {...part} />
    </>
  );
}

/** @returns Whether the table is no wider than its box: then the box need not scroll, and the head can stay in sight. */
function useFits(box: RefObject<HTMLDivElement | null>, isLong: boolean): boolean {
  const [fits, setFits] = useState(false);
  useEffect(() => {
    const element = box.current;
    const table = element?.querySelector("table");
    if (!isLong || !element || !table) return;
    const observer = new ResizeObserver(() => setFits(table.offsetWidth <= element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, isLong]);
  return fits;
}
