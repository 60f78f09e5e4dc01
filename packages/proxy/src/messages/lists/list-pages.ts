/** Pages of a server's list: where an answer has one, which cursor follows it, and whether an empty cursor led past the end. */
import { readEnvelope, readString } from "../json-rpc.ts";
import { findMembers, type Span } from "../json-scanner.ts";

export interface FoundPage {
  /** The value of the member, which may be no array; `undefined` where there is none. */
  readonly list: Span | undefined;
  /** `null` is how some servers say that there is no other page; an empty text is a cursor. */
  readonly nextCursor: string | undefined;
}

/** @param member The member of the result that is the list, such as `tools`. */
export function findPage(response: Buffer, member: string): FoundPage {
  const result = readEnvelope(response)?.result;
  const [list, cursor] = (result && findMembers(response, result.start, [member, "nextCursor"])?.spans) ?? [];
  return { list, nextCursor: readString(response, cursor) };
}

/** What decides whether a page is the one before it once more. */
export interface ComparedPage {
  /** The list as the server wrote it. */
  readonly text: Buffer;
  readonly nextCursor: string | undefined;
}

/**
 * Whether the page before this answer was the last. An empty cursor leads to another page since revision 2026-07-28; before, some
 * servers end their lists with it: they refuse it, or read it as none and answer with their first page again.
 *
 * @param cursor With which the server was asked. @param page `undefined` for an answer without a page.
 */
export function isPastEnd(
  cursor: string | undefined,
  page: ComparedPage | undefined,
  previous: ComparedPage | undefined,
): boolean {
  if (cursor !== "") return false;
  return page === undefined || (page.nextCursor === cursor && previous?.text.equals(page.text) === true);
}
