/**
 * Words of a text, for the index, for queries and for highlighting alike.
 *
 * A *chunk* is a run of letters and digits held together by single connectors (`list-registered`, `thv_run`, `v0.1.9`).
 * It yields its parts, split at connectors and at camelCase borders, and, when it has several, the whole joined without
 * connectors, so that `set-ca-cert`, `set_ca_cert`, `setCaCert` and `setcacert` are one term. A chunk with underscores is an
 * identifier and also yields itself as it is written (`proxy_port`). A chunk that follows one or two dashes at the start of a
 * word is a flag and also yields itself with its dashes (`--permission-profile`).
 */
import { fold } from "./fold.ts";

export type TokenKind = "word" | "whole" | "identifier" | "part" | "camelPart" | "flag";

/**
 * Receives one token.
 *
 * @param term Folded; flags keep their dashes and connectors.
 * @param start Offset of the first UTF-16 unit in the text.
 * @param end Offset behind the last one.
 * @param position Number of the word in the text; a `whole`, `identifier` or `flag` has the position of its first part.
 */
export type TokenSink = (term: string, start: number, end: number, position: number, kind: TokenKind) => void;

/** Longer terms are cut: readers do not type them, and keys and hashes would fill the index. In UTF-16 units. */
const MAX_TERM_LENGTH = 64;

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const CONNECTOR = 4;
/** A letter of a script written without spaces: every one is a word. */
const IDEOGRAPH = 5;
const LETTER = 6;
const MARK = 7;

const ASCII_CLASS = new Uint8Array(128);
for (let code = 97; code <= 122; code++) ASCII_CLASS[code] = LOWER;
for (let code = 65; code <= 90; code++) ASCII_CLASS[code] = UPPER;
for (let code = 48; code <= 57; code++) ASCII_CLASS[code] = DIGIT;
for (const connector of "-_.") ASCII_CLASS[connector.charCodeAt(0)] = CONNECTOR;

const IS_LETTER = /^[\p{L}\p{N}]$/u;
const IS_UPPER = /^\p{Lu}$/u;
const IS_MARK = /^[\p{M}\u00ad\u200b-\u200d\u2060]$/u;
const IS_IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u;

const wideClasses = new Map<number, number>();
/** The class table of other scripts is filled as they occur; this many entries hold every character in real use. */
const MAX_WIDE_CLASSES = 20_000;

function classifyWide(codePoint: number): number {
  const known = wideClasses.get(codePoint);
  if (known !== undefined) return known;
  const char = String.fromCodePoint(codePoint);
  let result = OTHER;
  // Some letters are nothing once they are folded, such as the halfwidth sound marks of Katakana: they belong to the one before.
  if (fold(char) === "") result = MARK;
  else if (IS_IDEOGRAPH.test(char)) result = IDEOGRAPH;
  else if (IS_UPPER.test(char)) result = UPPER;
  else if (IS_LETTER.test(char)) result = LETTER;
  else if (IS_MARK.test(char)) result = MARK;
  if (wideClasses.size < MAX_WIDE_CLASSES) wideClasses.set(codePoint, result);
  return result;
}

function isWordClass(value: number): boolean {
  return value !== OTHER && value !== CONNECTOR;
}

const DASH = 45;

/**
 * Splits a text into tokens, in order of their positions; a whole precedes its parts.
 *
 * @param firstPosition Position of the first word. Default 0.
 * @returns The position behind the last word.
 */
export function tokenize(text: string, emit: TokenSink, firstPosition = 0): number {
  const length = text.length;
  let position = firstPosition;
  let at = 0;
  /** Starts of the parts of the current chunk, each followed by its end and by 1 when a camelCase border opened it. */
  const parts: number[] = [];

  const classAt = (offset: number): number => {
    const code = text.charCodeAt(offset);
    if (code < 128) return ASCII_CLASS[code] as number;
    return classifyWide(text.codePointAt(offset) as number);
  };
  const widthAt = (offset: number): number => {
    const code = text.charCodeAt(offset);
    return code >= 0xd800 && code <= 0xdbff && offset + 1 < length ? 2 : 1;
  };

  while (at < length) {
    const first = classAt(at);
    if (!isWordClass(first) || first === MARK) {
      at += widthAt(at);
      continue;
    }
    if (first === IDEOGRAPH) {
      const end = at + widthAt(at);
      emit(foldTerm(text, at, end), at, end, position++, "word");
      at = end;
      continue;
    }

    const start = at;
    parts.length = 0;
    let partStart = at;
    let isCamel = 0;
    let previous = first;
    at += widthAt(at);
    while (at < length) {
      const current = classAt(at);
      if (current === OTHER || current === IDEOGRAPH) break;
      if (current === CONNECTOR) {
        const next = at + 1 < length ? classAt(at + 1) : OTHER;
        if (!isWordClass(next) || next === IDEOGRAPH || next === MARK) break;
        parts.push(partStart, at, isCamel);
        at += 1;
        partStart = at;
        isCamel = 0;
        previous = next;
        at += widthAt(at);
        continue;
      }
      if (current === UPPER && (previous === LOWER || previous === LETTER)) {
        parts.push(partStart, at, isCamel);
        partStart = at;
        isCamel = 1;
      } else if (current === LOWER && previous === UPPER && at - partStart > 2) {
        // `MCPServer`: the last capital of a run belongs to the word that follows. Runs of two (`IPs`, `OAuth`) stay whole.
        parts.push(partStart, at - 1, isCamel);
        partStart = at - 1;
        isCamel = 1;
      }
      if (current !== MARK) previous = current;
      at += widthAt(at);
    }
    parts.push(partStart, at, isCamel);
    emitFlag(text, start, at, position, emit);
    position = emitChunk(text, parts, emit, position);
  }
  return position;
}

function foldTerm(text: string, start: number, end: number): string {
  return fold(text.slice(start, Math.min(end, start + MAX_TERM_LENGTH)));
}

/** Emits a word with the one or two dashes before it, if it has them. */
function emitFlag(text: string, start: number, end: number, position: number, emit: TokenSink): void {
  let dashes = 0;
  while (dashes < 2 && text.charCodeAt(start - 1 - dashes) === DASH) dashes += 1;
  if (dashes === 0) return;
  const before = start - dashes > 0 ? text.charCodeAt(start - dashes - 1) : 32;
  // `a--b` and `---` are no flags; `--a`, `(-a`, `"--a` and `[--a` are.
  const isBorder = before !== DASH && (before >= 128 || !isWordClass(ASCII_CLASS[before] as number));
  if (isBorder) emit(`${"-".repeat(dashes)}${foldTerm(text, start, end)}`, start - dashes, end, position, "flag");
}

/**
 * Emits a chunk as a word, or as a whole with its parts.
 *
 * @param parts Starts, each followed by its end and by 1 when a camelCase border opened it.
 * @returns The position behind its last part.
 */
function emitChunk(text: string, parts: readonly number[], emit: TokenSink, firstPosition: number): number {
  let position = firstPosition;
  const start = parts[0] as number;
  const end = parts[parts.length - 2] as number;
  if (parts.length === 3) {
    emit(foldTerm(text, start, end), start, end, position++, "word");
    return position;
  }
  let joined = "";
  for (let part = 0; part < parts.length && joined.length < MAX_TERM_LENGTH; part += 3) {
    joined += foldTerm(text, parts[part] as number, parts[part + 1] as number);
  }
  emit(joined.slice(0, MAX_TERM_LENGTH), start, end, position, "whole");
  const written = foldTerm(text, start, end);
  if (written.includes("_")) emit(written, start, end, position, "identifier");
  for (let part = 0; part < parts.length; part += 3) {
    const from = parts[part] as number;
    const to = parts[part + 1] as number;
    const camel = parts[part + 2] === 1 || parts[part + 5] === 1;
    emit(foldTerm(text, from, to), from, to, position++, camel ? "camelPart" : "part");
  }
  return position;
}
