/**
 * Finds objects that have a member twice, which JSON allows and every parser reads in its own way. Names that differ
 * only in case count as the same, because some servers (Go's `encoding/json`) match them so.
 */
import { readKey, skipSpace, skipString } from "../messages/json-scanner.ts";
import { foldCase } from "../messages/member-names.ts";

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/** Objects in objects; deeper ones are not inspected. */
export const MAX_DEPTH = 32;

/** @param at Where a value of valid JSON starts. @returns Also true for what is too deep to be inspected. */
export function hasRepeatedMembers(text: Buffer, at: number): boolean {
  return findMemberProblem(text, at) !== undefined;
}

/** Reads every byte once and keeps the names of open objects only. @param at Where a value of valid JSON starts. */
export function findMemberProblem(text: Buffer, at: number): "repeated" | "deep" | undefined {
  const open: Names[] = [];
  for (let index = at; index < text.length; ) {
    const byte = text[index];
    if (byte === QUOTE) {
      const end = skipString(text, index);
      if (end < 0) return "repeated";
      if (text[skipSpace(text, end)] === COLON) {
        const key = readKey(text, index, end, "utf8");
        if (key === undefined || open.at(-1)?.add(foldCase(key)) !== true) return "repeated";
      }
      index = end;
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      // A scalar in a list of depth 32 is still read, a list in it is not.
      if (open.length > MAX_DEPTH) return "deep";
      open.push(new Names());
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) open.pop();
    index++;
  }
  return undefined;
}

/** Most objects of a long message have one name or two, for which a set is too large. */
class Names {
  #first: string | undefined;
  #others: Set<string> | undefined;

  /** @returns Whether the name is new. */
  add(name: string): boolean {
    if (this.#first === undefined) {
      this.#first = name;
      return true;
    }
    if (name === this.#first) return false;
    this.#others ??= new Set();
    const { size } = this.#others;
    return this.#others.add(name).size > size;
  }
}
