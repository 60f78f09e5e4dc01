/**
 * The form in which searches and the client's view and click events are kept: no address, no user token, no query id, the time to
 * the minute. Whatever in a query looks like somebody's data is removed.
 */

export interface EventLine {
  /** RFC 3339, to the minute. */
  readonly at: string;
  readonly kind: "search" | "view" | "click";
  readonly index: string;
  /** Of a search, or of the search that a click answered, when it is still known. */
  readonly query?: string;
  /** Of a search. */
  readonly hits?: number;
  readonly objectIDs?: readonly string[];
}

/** Spec §9: search input maximum, characters. */
const MAX_QUERY_LENGTH = 64;
/** Spec §9: object ids of one view event. */
const MAX_OBJECT_IDS = 20;
/** The hosted provider's limit. */
const MAX_EVENTS = 1_000;
/** An object id is a position and a page's address. */
const MAX_ID_LENGTH = 300;

/** E-mail addresses, IP addresses, telephone numbers, keys and tokens. */
const PERSONAL = [
  /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b/g,
  /\b(?=[\w-]*\d)[\w-]{20,}/g,
  /\b(?:ghp|gho|github_pat|sk|xox[abp]|AKIA|eyJ)[\w-]{6,}/g,
  /\+?\d[\d ()/-]{7,}\d/g,
];

/** A query as the report groups it: one line, lower case, at most 64 characters, personal data and keys removed. */
export function redactQuery(query: string): string {
  let text = query.slice(0, 512);
  for (const pattern of PERSONAL) text = text.replace(pattern, "[removed]");
  const printable = text.replace(/[\p{C}\s]+/gu, " ");
  return printable.trim().toLowerCase().slice(0, MAX_QUERY_LENGTH);
}

export function toMinute(date: Date): string {
  return `${date.toISOString().slice(0, 16)}Z`;
}

/**
 * The events of a client's body, without what must not be kept.
 *
 * @param findQuery The query of an answer's `queryID`, while it is remembered.
 * @returns Undefined when the body is not a list of events. Single events that make no sense are left out.
 */
export function parseEvents(
  body: unknown,
  at: string,
  findQuery: (queryID: string) => string | undefined,
): EventLine[] | undefined {
  const events = typeof body === "object" && body !== null && "events" in body ? body.events : undefined;
  if (!Array.isArray(events) || events.length > MAX_EVENTS) return undefined;
  return events.flatMap((event: unknown): EventLine[] => {
    if (typeof event !== "object" || event === null) return [];
    const { eventType: kind, index, objectIDs, queryID } = event as Readonly<Record<string, unknown>>;
    if ((kind !== "view" && kind !== "click") || typeof index !== "string" || !Array.isArray(objectIDs)) return [];
    const ids = objectIDs.filter((id): id is string => typeof id === "string" && id.length <= MAX_ID_LENGTH);
    if (ids.length === 0 || index.length > 100) return [];
    const query = typeof queryID === "string" ? findQuery(queryID) : undefined;
    return [{ at, kind, index, objectIDs: ids.slice(0, MAX_OBJECT_IDS), ...(query === undefined ? {} : { query }) }];
  });
}
