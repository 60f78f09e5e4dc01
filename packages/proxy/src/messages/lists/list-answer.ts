/**
 * Finds the result of a server's answer that may contain a list. An answer that some client's parser would read differently from
 * ours is unreadable: a member twice or in another spelling (Go's `encoding/json` ignores case), no JSON, no UTF-8.
 */
import { isUtf8 } from "node:buffer";
import { isRecord } from "@toolhive/http/values";
import { isIdStart, readEnvelope } from "../json-rpc.ts";
import { eachMember, readKey, type Span, skipSpace, skipString, skipValue } from "../json-scanner.ts";
import { KnownNames } from "../member-names.ts";

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const RESULT = new KnownNames(["result"]);
const BYTE_ORDER_MARK = "\ufeff";
/** Of a value that is read to see what an answer lacks: of much structure, a search for names costs less. */
const MAX_STEPS = 16_384;
/** Bytes of numbers and of `true`, `false` and `null`. */
const OF_SCALAR = new Set(Buffer.from("0123456789+-.E true false null".replaceAll(" ", "")));

/** Before and behind the result of nearly every answer: nothing there can be taken for another result. */
const PLAIN_HEAD = /^\s*\{\s*(?:"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]{0,200}"|-?\d{1,20})\s*,\s*){0,2}"result"\s*:\s*$/;
const PLAIN_TAIL = /^\s*(?:,\s*"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]{0,200}"|-?\d{1,20})\s*){0,2}\}\s*$/;
/** Bytes of either; longer ones are read member by member. */
const MAX_PLAIN_BYTES = 1_000;

export type ListAnswer =
  /** It holds no list for any client. */
  | { readonly kind: "none" }
  | { readonly kind: "unreadable"; readonly id: Span | undefined }
  /** An object; whether a list is in it is to be seen. */
  | { readonly kind: "result"; readonly id: Span | undefined; readonly result: Span };

const NONE: ListAnswer = { kind: "none" };

/**
 * Whether a text is an answer of the plainest form whose result has no member that some parser takes for one of the names: most
 * answers are, and so they are read once, without making a text of them. False says nothing about it.
 */
export function isPlainWithout(text: Buffer, names: KnownNames): boolean {
  let [hasVersion, hasId, hasResult] = [false, false, false];
  const end = walkMembers(text, skipSpace(text, 0), (key, at) => {
    const valueEnd = key === "result" ? skipWithout(text, at, names) : skipClean(text, at);
    if (valueEnd < 0) return -1;
    if (key === "jsonrpc" && !hasVersion && text.toString("latin1", at, valueEnd) === '"2.0"') hasVersion = true;
    else if (key === "id" && !hasId && isIdStart(text[at])) hasId = true;
    else if (key === "result" && !hasResult) hasResult = true;
    else return -1;
    return valueEnd;
  });
  return end >= 0 && hasVersion && hasId && hasResult && skipSpace(text, end) === text.length && isUtf8(text);
}

/** @returns The index after the object; -1 for no object, and for one with a member that may mean one of the names. */
function skipWithout(text: Buffer, at: number, names: KnownNames): number {
  return walkMembers(text, at, (key, valueAt) => (names.mayMean(key) ? -1 : skipClean(text, valueAt)));
}

/** @returns The index after the value; -1 also for a scalar with what ends or begins something else, such as a quote. */
function skipClean(text: Buffer, at: number): number {
  const end = skipValue(text, at, MAX_STEPS);
  const first = text[at];
  if (first === QUOTE || first === OPEN_BRACE || first === OPEN_BRACKET) return end;
  for (let index = at; index < end; index++) if (!OF_SCALAR.has(text[index] ?? 0)) return -1;
  return end;
}

/**
 * @param skip Gets each key and where its value begins. @returns What follows the value, or -1.
 * @returns The index after the object that opens at `at`; -1 when it is malformed, or `skip` says so.
 */
function walkMembers(text: Buffer, at: number, skip: (key: string, at: number) => number): number {
  if (text[at] !== OPEN_BRACE) return -1;
  let index = skipSpace(text, at + 1);
  if (text[index] === CLOSE_BRACE) return index + 1;
  for (;;) {
    const keyEnd = text[index] === QUOTE ? skipString(text, index) : -1;
    const key = keyEnd < 0 ? undefined : readKey(text, index, keyEnd, "utf8");
    const colon = skipSpace(text, keyEnd);
    if (key === undefined || text[colon] !== COLON) return -1;
    const end = skip(key, skipSpace(text, colon + 1));
    if (end < 0) return -1;
    index = skipSpace(text, end);
    if (text[index] === CLOSE_BRACE) return index + 1;
    if (text[index] !== COMMA) return -1;
    index = skipSpace(text, index + 1);
  }
}

export function readListAnswer(text: Buffer): ListAnswer {
  const envelope = readEnvelope(text);
  if (envelope === undefined) return hasResult(text) ? { kind: "unreadable", id: undefined } : NONE;
  const { kind, id, result } = envelope;
  if (!isUtf8(text) || hasOtherResult(text, result)) return { kind: "unreadable", id };
  if (kind !== "response" || result === undefined) return NONE;
  return text[result.start] === OPEN_BRACE ? { kind: "result", id, result } : NONE;
}

/** @returns Whether a member of the object that opens at `at` only resembles one of the names; true for no object. */
export function hasLookAlike(text: Buffer, at: number, names: KnownNames): boolean {
  let isFound = false;
  const isWhole = eachMember(text, at, (key) => {
    isFound ||= names.isLookAlike(key);
  });
  return isFound || !isWhole;
}

function hasOtherResult(text: Buffer, result: Span | undefined): boolean {
  if (result !== undefined && text.length - (result.end - result.start) <= MAX_PLAIN_BYTES) {
    const head = text.toString("latin1", 0, result.start);
    const tail = text.toString("latin1", result.end);
    if (PLAIN_HEAD.test(head) && PLAIN_TAIL.test(tail)) return false;
  }
  return hasLookAlike(text, text.indexOf(OPEN_BRACE), RESULT);
}

/** Whether a parser that takes more than ours would find a result. */
function hasResult(text: Buffer): boolean {
  const plain = text.toString("utf8").replace(BYTE_ORDER_MARK, "");
  try {
    const value: unknown = JSON.parse(plain);
    return (Array.isArray(value) ? value : [value]).some(
      (each) => isRecord(each) && ("result" in each || RESULT.findLookAlike(each) !== undefined),
    );
  } catch {
    // It is no JSON, and might be what some parser takes for it.
    const first = plain.trimStart().charCodeAt(0);
    return first === OPEN_BRACE || first === OPEN_BRACKET;
  }
}
