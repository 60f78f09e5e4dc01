/**
 * When a page was last changed (`plugins/page-dates`). Written without the browser's formatter, which costs the start of
 * every page more than the rest of its foot.
 */

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

interface LastUpdatedProps {
  /** Milliseconds since 1970. */
  readonly lastUpdatedAt?: number | null;
}

export default function LastUpdated({ lastUpdatedAt }: LastUpdatedProps) {
  if (lastUpdatedAt === undefined || lastUpdatedAt === null) return null;
  const date = new Date(lastUpdatedAt);
  return (
    <span className="theme-last-updated">
      Last updated on{" "}
      <b>
        <time dateTime={date.toISOString()} itemProp="dateModified">
          {`${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`}
        </time>
      </b>
    </span>
  );
}
