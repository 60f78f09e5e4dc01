/**
 * Removes the entries from a server's lists that the caller may not use. Recognizes lists by their form, not by the
 * request, so that no transport can miss one; all other bytes stay unchanged.
 */
import { createErrorReply, RPC_ERRORS, readString } from "../messages/json-rpc.ts";
import { findElements, findMembers, type Span, splice } from "../messages/json-scanner.ts";
import { hasLookAlike, isPlainWithout, readListAnswer } from "../messages/lists/list-answer.ts";
import { KnownNames } from "../messages/member-names.ts";
import type { Action } from "./cedar/query.ts";
import { MAX_POLICY_QUERIES } from "./policy-query.ts";

const LISTS = [
  { member: "tools", action: "call_tool", name: "name" },
  { member: "prompts", action: "get_prompt", name: "name" },
  { member: "resources", action: "read_resource", name: "uri" },
  { member: "resourceTemplates", action: "read_resource", name: "uriTemplate" },
] as const satisfies readonly { member: string; action: Action; name: string }[];

/** Entries of a list; a longer one is not handed on. */
export const MAX_LISTED = MAX_POLICY_QUERIES;

const MEMBERS = LISTS.map(({ member }) => member);
const MEMBER_NAMES = new KnownNames(MEMBERS);
const ENTRY_NAMES = new Map<string, KnownNames>(LISTS.map(({ name }) => [name, new KnownNames([name])]));
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/**
 * @param isAllowed Decides without arguments.
 * @param showTool Changes a tool that is kept. Default: as it is.
 * @param maxEntries Of one list; a longer one is not handed on. Default: as many as policies are asked about.
 * @returns The same buffer when nothing had to go or to change.
 */
export function filterLists(
  text: Buffer,
  isAllowed: (action: Action, name: string) => boolean,
  showTool?: (element: Buffer, name: string) => Buffer,
  maxEntries = MAX_LISTED,
): Buffer {
  if (isPlainWithout(text, MEMBER_NAMES)) return text;
  const answer = readListAnswer(text);
  if (answer.kind === "none") return text;
  const { id } = answer;
  if (answer.kind === "unreadable") return createUnreadableReply(text, id, maxEntries);
  const { result } = answer;
  const found = findMembers(text, result.start, MEMBERS);
  if (found === undefined || hasLookAlike(text, result.start, MEMBER_NAMES))
    return createUnreadableReply(text, id, maxEntries);
  const edits = [];
  for (const [index, { action, name }] of LISTS.entries()) {
    const span = found.spans[index];
    if (span === undefined || text[span.start] !== OPEN_BRACKET) continue;
    const elements = findElements(text, span.start, maxEntries + 1);
    if (elements === undefined || elements.length > maxEntries) return createUnreadableReply(text, id, maxEntries);
    const kept = elements.filter((element) => {
      const value = readName(text, element, name);
      return value !== undefined && isAllowed(action, value);
    });
    const show = action === "call_tool" ? showTool : undefined;
    if (kept.length === elements.length && show === undefined) continue;
    const items = kept.map((element) => {
      const { start, end } = element;
      const own = show && readName(text, element, name);
      const shown = show && own !== undefined ? show(text.subarray(start, end), own) : text.subarray(start, end);
      return shown.toString("utf8");
    });
    edits.push({ span, bytes: Buffer.from(`[${items.join(",")}]`) });
  }
  return edits.length === 0 ? text : splice(text, edits);
}

/** @returns `undefined` when the element has no such member, or has it twice or almost. */
function readName(text: Buffer, { start }: Span, member: string): string | undefined {
  if (text[start] !== OPEN_BRACE) return undefined;
  const names = ENTRY_NAMES.get(member);
  if (names && hasLookAlike(text, start, names)) return undefined;
  return readString(text, findMembers(text, start, [member])?.spans[0]);
}

/** The answer in the place of one whose lists cannot be read. */
export function createUnreadableReply(text: Buffer, id: Span | undefined, maxEntries: number = MAX_LISTED): Buffer {
  const raw = id === undefined ? undefined : text.subarray(id.start, id.end);
  return createErrorReply(
    raw,
    RPC_ERRORS.INTERNAL,
    `The server's answer cannot be filtered: it is malformed, or lists more than ${maxEntries} at once.`,
  );
}
