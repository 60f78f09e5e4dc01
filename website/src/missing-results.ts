/**
 * Where readers report a search that found nothing: the form for a new issue in the project's repository, filled in. A
 * project without a public repository has the section of the FAQ that says how.
 */

/** The issue that is prefilled; `{query}` is what was searched. */
export interface MissingResultsReport {
  readonly title: string;
  readonly body: string;
}

export interface MissingResultsTarget {
  /** Address of the repository, without a slash at the end; empty when there is none. */
  readonly source: string;
  readonly report: MissingResultsReport;
  /** Path of the page that says how to report without a repository. */
  readonly fallback: string;
}

export function missingResultsUrl({ source, report, fallback }: MissingResultsTarget, query: string): string {
  if (source === "") return fallback;
  const fill = (text: string): string => encodeURIComponent(text.replaceAll("{query}", () => query));
  return `${source}/issues/new?title=${fill(report.title)}&body=${fill(report.body)}`;
}
