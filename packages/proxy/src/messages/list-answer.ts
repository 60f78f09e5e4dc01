/**
 * Finds the result of a server's answer that may contain a list. An answer that some client's parser would read differently from
 * ours is unreadable: a member twice or in another spelling (Go's `encoding/json` ignores case), no JSON, no UTF-8.
 */
import { isUtf8 } from "node:buffer";
import { isRecord } from "@toolhive/http/values";
import { readEnvelope } from "./json-rpc.ts";
import { eachMember, type Span } from "./json-scanner.ts";
import { KnownNames } from "./member-names.ts";

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const RESULT = new KnownNames(["result"]);
const BYTE_ORDER_MARK = "\ufeff";

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
