/**
 * Holds the lists of a server and the calls of its tools to the definitions that were pinned. It recognizes a list by its form,
 * as the other rules do, so that no transport can miss one; names are the server's own.
 */
import { createHash } from "node:crypto";
import type { OfferedTool, PinnedTools, ToolDefinition } from "@toolhive/core";
import { isRecord } from "@toolhive/http/values";
import type { CallRules } from "../authz/call-rules.ts";
import { createUnreadableReply, MAX_LISTED } from "../authz/list-filter.ts";
import type { PinLayer } from "../authz/live-rules.ts";
import { readPolicyQueries } from "../authz/policy-query.ts";
import { hasRepeatedMembers } from "../authz/repeated-members.ts";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { readString } from "../messages/json-rpc.ts";
import { findElements, findMembers, type Span, splice } from "../messages/json-scanner.ts";
import { hasLookAlike, isPlainWithout, readListAnswer } from "../messages/lists/list-answer.ts";
import { KnownNames } from "../messages/member-names.ts";
import { hasInexactNumbers } from "./inexact-numbers.ts";

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CALL = "tools/call";
/** A list has this member, unless it is spelled with escapes, or for parsers that take another spelling for it. */
const LIST_MEMBER = '"tools"';
const ESCAPE = "\\u";
/** Of the bytes as Latin-1: other case, the long s, marks that some parsers leave out, and letters of another width. */
const OTHER_SPELLING = /[tT][-_]*[oO][-_]*[oO][-_]*[lL][-_]*(?:[sS]|\xc5\xbf)|\xef(?:\xbc[\xa1-\xba]|\xbd[\x81-\x9a])/;
/** Bytes that may stand within such a spelling: a text is never cut between two of them. */
const OF_SPELLING = new Set([...Buffer.from("tToOlLsS-_\xc5\xbf\xef\xbc\xbd", "latin1"), ...range(0x81, 0xba)]);
/** Bytes that are searched as one text: one of a megabyte costs more to make than to search. */
const SEARCHED_BYTES = 16 * 1024;
const LIST_MEMBERS = new KnownNames(["tools"]);
/** What a result needs to be read as a list, in any spelling. */
const OF_LIST = new KnownNames(["tools", "nextCursor"]);
const NAME = new KnownNames(["name"]);
/** Halves of characters, each of which decoders replace by the same one. */
const LONE_SURROGATE = /\p{Surrogate}/gu;
/** Tools of a list of a server whose new tools are not held back. */
const MAX_KNOWN_LISTED = 100_000;
const MEMBERS = new KnownNames(["_meta", "annotations", "description", "inputSchema", "name", "outputSchema", "title"]);

class PinRules implements CallRules {
  readonly #pins: PinnedTools;

  constructor(pins: PinnedTools) {
    this.#pins = pins;
  }

  findRefusal(_caller: Caller, message: ClientMessage): string | undefined {
    if (message.envelope.method !== CALL || !this.#pins.mayRefuse) return undefined;
    const asked = readPolicyQueries(message);
    if (asked.kind === "free") return undefined;
    // The server might read another name than the one that is compared.
    if (asked.kind === "refuse") return asked.reason;
    for (const { name } of asked.queries) {
      const refusal = this.#pins.findRefusal(toWellFormed(name));
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  filter(_caller: Caller, response: Buffer): Buffer {
    if (isPlainWithout(response, OF_LIST) || !mayHoldList(response)) return response;
    const answer = readListAnswer(response);
    if (answer.kind === "none") return response;
    const maxListed = this.#pins.holdsNew ? MAX_LISTED : MAX_KNOWN_LISTED;
    const { id } = answer;
    if (answer.kind === "unreadable") return createUnreadableReply(response, id, maxListed);
    const { result } = answer;
    const digest = createHash("sha256").update(response.subarray(result.start, result.end)).digest("base64");
    if (this.#pins.isSettled(digest)) return response;
    const found = findMembers(response, result.start, ["tools", "nextCursor"]);
    if (found === undefined || hasLookAlike(response, result.start, LIST_MEMBERS))
      return createUnreadableReply(response, id, maxListed);
    const [list, cursor] = found.spans;
    if (list === undefined || response[list.start] !== OPEN_BRACKET) return response;
    const elements = findElements(response, list.start, maxListed + 1);
    if (elements === undefined || elements.length > maxListed) return createUnreadableReply(response, id, maxListed);
    // Clients cannot call a tool with no name, or with two, so the list omits it.
    const named = elements.flatMap((span) => {
      const tool = readTool(response, span);
      return tool ? [{ span, tool }] : [];
    });
    const isWhole = named.length === elements.length;
    const shown = this.#pins.review({
      tools: named.map(({ tool }) => tool),
      next: readCursor(response, cursor),
      digest: isWhole ? digest : undefined,
    });
    if (isWhole && shown.every((each) => each === "unchanged")) return response;
    const texts = named.flatMap(({ span }, index) => {
      const each = shown[index] ?? "hidden";
      if (each === "hidden") return [];
      return [each === "unchanged" ? response.toString("utf8", span.start, span.end) : each.definition];
    });
    return splice(response, [{ span: list, bytes: Buffer.from(`[${texts.join(",")}]`) }]);
  }
}

/**
 * @returns What binds the callers of an endpoint whose tools are pinned, from its other rules: lists pass the pins first, because
 * these know the server's own names, and calls last.
 */
export function createPinLayer(pins: PinnedTools): PinLayer {
  const behind = new PinRules(pins);
  return { pins, addTo: (rules) => putBehind(rules, behind) };
}

function putBehind(rules: CallRules | undefined, pins: CallRules): CallRules {
  if (rules === undefined) return pins;
  return {
    findRefusal: (caller, message) =>
      rules.findRefusal(caller, message) ?? pins.findRefusal(caller, rules.rewrite?.(message) ?? message),
    filter: (caller, response) => rules.filter(caller, pins.filter(caller, response)),
    rewrite: (message) => rules.rewrite?.(message) ?? message,
  };
}

/** `null` is how some servers say that there is no other page; an empty text is a cursor. */
function readCursor(text: Buffer, span: Span | undefined): string | undefined {
  if (span === undefined) return undefined;
  const raw = text.toString("utf8", span.start, span.end);
  return raw === "null" ? undefined : raw;
}

/** @returns `undefined` when it has no name, or has it twice or almost. */
function readTool(text: Buffer, { start, end }: Span): OfferedTool | undefined {
  if (text[start] !== OPEN_BRACE || hasLookAlike(text, start, NAME)) return undefined;
  const name = readString(text, findMembers(text, start, ["name"])?.spans[0]);
  if (name === undefined) return undefined;
  const element = text.subarray(start, end);
  const read = readDefinition(element);
  // Its definition has numbers of which JavaScript would keep others.
  const isClear = read !== undefined && hasInexactNumbers(element);
  return { name: toWellFormed(name), definition: isClear ? undefined : read, isClear, text: element.toString("utf8") };
}

function readDefinition(element: Buffer): ToolDefinition | undefined {
  if (hasRepeatedMembers(element, 0)) return undefined;
  try {
    const value: unknown = JSON.parse(element.toString("utf8"));
    return isDefinition(value) && MEMBERS.findLookAlike({ ...value }) === undefined ? value : undefined;
  } catch {
    // It is no JSON.
    return undefined;
  }
}

function toWellFormed(name: string): string {
  return name.replace(LONE_SURROGATE, "\ufffd");
}

/** Whether a list may be in it that some client reads. */
function mayHoldList(response: Buffer): boolean {
  return response.includes(LIST_MEMBER) || response.includes(ESCAPE) || hasOtherSpelling(response);
}

function hasOtherSpelling(response: Buffer): boolean {
  for (let from = 0; from < response.length; ) {
    let to = Math.min(from + SEARCHED_BYTES, response.length);
    while (to < response.length && OF_SPELLING.has(response[to] ?? 0)) to++;
    if (OTHER_SPELLING.test(response.toString("latin1", from, to))) return true;
    from = to;
  }
  return false;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function isDefinition(value: unknown): value is ToolDefinition {
  return isRecord(value) && typeof value.name === "string";
}
