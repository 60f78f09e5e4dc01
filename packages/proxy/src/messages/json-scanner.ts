/**
 * Finds members in JSON text without parsing it, so that messages can be forwarded byte for byte.
 * Structure is checked down to balanced brackets and closed strings (RFC 8259); scalars inside are not.
 */

/** Half-open byte range. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Nesting of objects and lists; deeper text counts as malformed, because each level needs memory. */
const MAX_DEPTH = 10_000;

/** Bytes that are read one by one before a native search for a string's end, which costs more to start. */
const SHORT_STRING_BYTES = 48;

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** @returns The index of the first byte at or after `at` that is not white space. */
export function skipSpace(text: Buffer, at: number): number {
  let index = at;
  while (isSpace(text[index])) index++;
  return index;
}

/** @param at Index of the opening quote. @returns The index after the closing quote, or -1 when there is none. */
export function skipString(text: Buffer, at: number): number {
  for (let index = at + 1; ; ) {
    const limit = Math.min(text.length, index + SHORT_STRING_BYTES);
    while (index < limit) {
      const byte = text[index];
      if (byte === QUOTE) return index + 1;
      index += byte === BACKSLASH ? 2 : 1;
    }
    // The loop may have stepped over an escaped byte; searching from `index` keeps escapes paired.
    const quote = text.indexOf(QUOTE, index);
    if (quote < 0) return -1;
    let backslashes = 0;
    while (quote - 1 - backslashes >= index && text[quote - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
    // Where one quote is escaped, as in JSON within a text, the next one is near.
    index = quote + 1;
  }
}

/** @returns The index after the object or array that opens at `at`, or -1 when it is not closed properly or takes more steps. */
function skipContainer(text: Buffer, at: number, maxSteps: number): number {
  const closers: number[] = [];
  let steps = 0;
  for (let index = at; index < text.length; ) {
    if (++steps > maxSteps) return -1;
    const byte = text[index];
    if (byte === QUOTE) {
      index = skipString(text, index);
      if (index < 0) return -1;
      continue;
    }
    if (byte === OPEN_BRACE) closers.push(CLOSE_BRACE);
    else if (byte === OPEN_BRACKET) closers.push(CLOSE_BRACKET);
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (closers.pop() !== byte) return -1;
      if (closers.length === 0) return index + 1;
    }
    if (closers.length > MAX_DEPTH) return -1;
    index++;
  }
  return -1;
}

/**
 * @param maxSteps Of an object or a list: its texts, and its other bytes. Default: as many as it takes.
 * @returns The index after the value that starts at `at`, or -1 when there is none, or it takes more steps.
 */
export function skipValue(text: Buffer, at: number, maxSteps = Number.POSITIVE_INFINITY): number {
  const first = text[at];
  if (first === QUOTE) return skipString(text, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipContainer(text, at, maxSteps);
  let index = at;
  for (; index < text.length; index++) {
    const byte = text[index];
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte === COLON || isSpace(byte)) break;
  }
  return index > at ? index : -1;
}

/**
 * Reads the key whose quotes are at `start` and `end - 1`. Keys with escapes are rare, so those are really parsed.
 *
 * @param encoding Of keys without escapes; `latin1` is faster and does for ASCII names.
 */
export function readKey(
  text: Buffer,
  start: number,
  end: number,
  encoding: "latin1" | "utf8" = "latin1",
): string | undefined {
  const raw = text.toString(encoding, start + 1, end - 1);
  if (!raw.includes("\\")) return raw;
  try {
    const key: unknown = JSON.parse(text.toString("utf8", start, end));
    return typeof key === "string" ? key : undefined;
  } catch {
    // An invalid escape: the caller treats the whole object as malformed.
    return undefined;
  }
}

export interface Members {
  /** Index after the object's closing brace. */
  readonly end: number;
  /** Spans of the wanted members' values, in the order wanted. */
  readonly spans: readonly (Span | undefined)[];
}

/**
 * Finds the values of some members of the object that opens at `at`.
 *
 * @param wanted ASCII member names.
 * @returns `undefined` when there is no well-formed object, or when a wanted member occurs twice: parsers disagree about which
 * one counts, and a message must mean the same to us and to the server.
 */
export function findMembers(text: Buffer, at: number, wanted: readonly string[]): Members | undefined {
  if (text[at] !== OPEN_BRACE) return undefined;
  const spans: (Span | undefined)[] = new Array(wanted.length).fill(undefined);
  let index = skipSpace(text, at + 1);
  if (text[index] === CLOSE_BRACE) return { end: index + 1, spans };
  for (;;) {
    if (text[index] !== QUOTE) return undefined;
    const keyEnd = skipString(text, index);
    if (keyEnd < 0) return undefined;
    const key = readKey(text, index, keyEnd);
    if (key === undefined) return undefined;
    const colon = skipSpace(text, keyEnd);
    if (text[colon] !== COLON) return undefined;
    const start = skipSpace(text, colon + 1);
    const end = skipValue(text, start);
    if (end < 0) return undefined;
    const slot = wanted.indexOf(key);
    if (slot >= 0) {
      if (spans[slot] !== undefined) return undefined;
      spans[slot] = { start, end };
    }
    index = skipSpace(text, end);
    if (text[index] === CLOSE_BRACE) return { end: index + 1, spans };
    if (text[index] !== COMMA) return undefined;
    index = skipSpace(text, index + 1);
  }
}

/** One member of an object, from its key's opening quote to its value's end. */
export interface Member extends Span {
  readonly key: string;
  readonly value: Span;
}

/** @returns All members of the object that opens at `at`, or `undefined` when it is malformed. */
export function listMembers(text: Buffer, at: number): Member[] | undefined {
  const members: Member[] = [];
  const isWhole = eachMember(text, at, (key, start, valueStart, end) => {
    members.push({ key, start, end, value: { start: valueStart, end } });
  });
  return isWhole ? members : undefined;
}

/**
 * Calls `visit` with each member of the object that opens at `at`, and keeps nothing: a server's answer may have a million.
 *
 * @returns Whether there is a well-formed object.
 */
export function eachMember(
  text: Buffer,
  at: number,
  visit: (key: string, start: number, valueStart: number, end: number) => void,
): boolean {
  if (text[at] !== OPEN_BRACE) return false;
  let index = skipSpace(text, at + 1);
  if (text[index] === CLOSE_BRACE) return true;
  for (;;) {
    const start = index;
    const keyEnd = text[start] === QUOTE ? skipString(text, start) : -1;
    const key = keyEnd < 0 ? undefined : readKey(text, start, keyEnd, "utf8");
    if (key === undefined) return false;
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = skipValue(text, valueStart);
    if (end < 0) return false;
    visit(key, start, valueStart, end);
    index = skipSpace(text, end);
    if (text[index] === CLOSE_BRACE) return true;
    if (text[index] !== COMMA) return false;
    index = skipSpace(text, index + 1);
  }
}

/** An object, a list or a name needs this many times the memory of a number in a list. */
const CONTAINER_WEIGHT = 4;

/**
 * Whether a text holds more values than `max`, or deeper ones than this package reads: parsed, each needs 8 to 100 bytes however
 * short it is. Objects, lists and names count as four. Stops at the first one too many.
 */
export function hasTooManyValues(text: Buffer, max: number): boolean {
  let values = 0;
  let depth = 0;
  for (let index = 0; index < text.length; ) {
    const byte = text[index];
    if (byte === QUOTE) {
      index = skipString(text, index);
      // It is no JSON, and the parser will report that.
      if (index < 0) return false;
      continue;
    }
    if (byte === COMMA) values++;
    else if (byte === COLON) values += CONTAINER_WEIGHT;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      values += CONTAINER_WEIGHT;
      depth++;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    if (values > max || depth > MAX_DEPTH) return true;
    index++;
  }
  return false;
}

/** Follows member names from the object that opens at `at`. @returns `undefined` when any step is absent. */
export function findPath(text: Buffer, at: number, path: readonly string[]): Span | undefined {
  let span: Span | undefined = { start: at, end: text.length };
  for (const name of path) {
    if (span === undefined) return undefined;
    span = findMembers(text, span.start, [name])?.spans[0];
  }
  return span;
}

/**
 * @param limit Elements after which the rest is not read. Default: none.
 * @returns The spans of the elements of the array that opens at `at`, or `undefined` when it is malformed.
 */
export function findElements(text: Buffer, at: number, limit = Number.POSITIVE_INFINITY): Span[] | undefined {
  if (text[at] !== OPEN_BRACKET) return undefined;
  const elements: Span[] = [];
  let index = skipSpace(text, at + 1);
  if (text[index] === CLOSE_BRACKET) return elements;
  for (;;) {
    const end = skipValue(text, index);
    if (end < 0) return undefined;
    elements.push({ start: index, end });
    if (elements.length >= limit) return elements;
    index = skipSpace(text, end);
    if (text[index] === CLOSE_BRACKET) return elements;
    if (text[index] !== COMMA) return undefined;
    index = skipSpace(text, index + 1);
  }
}

export interface Edit {
  readonly span: Span;
  readonly bytes: Buffer;
}

/** @returns The edits by their place in the text. */
export function sortEdits(edits: readonly Edit[]): readonly Edit[] {
  return edits.length > 1 ? [...edits].sort((a, b) => a.span.start - b.span.start) : edits;
}

const NOTHING = Buffer.alloc(0);

/** Replaces some spans and keeps every other byte. @param edits In any order; they must not overlap. */
export function splice(text: Buffer, edits: readonly Edit[], tail = NOTHING): Buffer {
  let length = text.length + tail.length;
  for (const { span, bytes } of edits) length += bytes.length - (span.end - span.start);
  // Copied piece by piece into its place: views of the pieces would cost more than the bytes of most messages.
  const result = Buffer.allocUnsafe(length);
  let from = 0;
  let at = 0;
  for (const { span, bytes } of sortEdits(edits)) {
    at += text.copy(result, at, from, span.start);
    at += bytes.copy(result, at);
    from = span.end;
  }
  at += text.copy(result, at, from);
  tail.copy(result, at);
  return result;
}

/**
 * Replaces a span in a text that has no other reader: moves the shorter side, where `splice` copies everything. A replacement
 * that is longer than the span is spliced.
 *
 * @returns A part of the same memory, or a copy.
 */
export function spliceInPlace(text: Buffer, { span, bytes }: Edit): Buffer {
  const spare = span.end - span.start - bytes.length;
  if (spare < 0) return splice(text, [{ span, bytes }]);
  if (span.start > text.length - span.end) {
    bytes.copy(text, span.start);
    text.copyWithin(span.start + bytes.length, span.end);
    return text.subarray(0, text.length - spare);
  }
  text.copyWithin(spare, 0, span.start);
  bytes.copy(text, spare + span.start);
  return text.subarray(spare);
}
