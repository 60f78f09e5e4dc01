/**
 * Finds objects that have a member twice, which JSON allows and every parser reads in its own way. Names that differ in
 * case only count as the same: some servers (Go's `encoding/json`) take them for it.
 */
import { findElements, listMembers } from "../json-scanner.ts";
import { foldCase } from "../member-names.ts";

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
/** Objects in objects; deeper ones count as repeated, because nobody looks into them. */
const MAX_DEPTH = 32;

/** @param at Where a value of valid JSON starts. */
export function hasRepeatedMembers(text: Buffer, at: number, depth = 0): boolean {
  const first = text[at];
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return false;
  if (depth > MAX_DEPTH) return true;
  if (first === OPEN_BRACKET) {
    return findElements(text, at)?.some(({ start }) => hasRepeatedMembers(text, start, depth + 1)) ?? true;
  }
  const members = listMembers(text, at);
  if (members === undefined || new Set(members.map(({ key }) => foldCase(key))).size < members.length) return true;
  return members.some(({ value }) => hasRepeatedMembers(text, value.start, depth + 1));
}
