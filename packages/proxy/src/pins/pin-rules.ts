/**
 * Holds the lists of a server and the calls of its tools to the definitions that were pinned. It recognizes a list by its form,
 * as the other rules do, so that no transport can miss one; names are the server's own.
 */
import type { OfferedTool, PinnedTools, ToolDefinition } from "@toolhive/core";
import type { CallRules } from "../authz/call-rules.ts";
import { createUnreadableReply, MAX_LISTED } from "../authz/list-filter.ts";
import { readPolicyQueries } from "../authz/policy-query.ts";
import { hasRepeatedMembers } from "../authz/repeated-members.ts";
import type { Caller } from "../messages/caller.ts";
import { type ClientMessage, isRecord } from "../messages/client-message.ts";
import { readEnvelope, readString } from "../messages/json-rpc.ts";
import { findElements, findMembers, type Span, splice } from "../messages/json-scanner.ts";
import { KnownNames } from "../messages/member-names.ts";

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CALL = "tools/call";
const MEMBERS = new KnownNames(["annotations", "description", "inputSchema", "name", "outputSchema", "title"]);

class PinRules implements CallRules {
  readonly #pins: PinnedTools;

  constructor(pins: PinnedTools) {
    this.#pins = pins;
  }

  findRefusal(_caller: Caller, message: ClientMessage): string | undefined {
    if (message.envelope.method !== CALL) return undefined;
    const asked = readPolicyQueries(message);
    if (asked.kind === "free") return undefined;
    // The server might read another name than the one that is compared.
    if (asked.kind === "refuse") return asked.reason;
    for (const { name } of asked.queries) {
      const refusal = this.#pins.findRefusal(name);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  filter(_caller: Caller, response: Buffer): Buffer {
    const envelope = readEnvelope(response);
    if (envelope?.kind !== "response") return response;
    const { id, result } = envelope;
    if (result === undefined || response[result.start] !== OPEN_BRACE) return response;
    const found = findMembers(response, result.start, ["tools", "nextCursor"]);
    if (found === undefined) return createUnreadableReply(response, id);
    const [list, cursor] = found.spans;
    if (list === undefined || response[list.start] !== OPEN_BRACKET) return response;
    const elements = findElements(response, list.start, MAX_LISTED + 1);
    if (elements === undefined || elements.length > MAX_LISTED) return createUnreadableReply(response, id);
    // What has no name, or two, no client can call, and none is told of it.
    const named = elements.flatMap((span) => {
      const tool = readTool(response, span);
      return tool ? [{ span, tool }] : [];
    });
    const shown = this.#pins.review({ tools: named.map(({ tool }) => tool), next: readCursor(response, cursor) });
    if (named.length === elements.length && shown.every((each) => each === "unchanged")) return response;
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
export function addPins(pins: PinnedTools): (rules: CallRules | undefined) => CallRules {
  const behind = new PinRules(pins);
  return (rules) => putBehind(rules, behind);
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

/** `null` is how some servers say that there is no other page. */
function readCursor(text: Buffer, span: Span | undefined): string | undefined {
  if (span === undefined) return undefined;
  const raw = text.toString("utf8", span.start, span.end);
  return raw === "null" || raw === '""' ? undefined : raw;
}

/** @returns `undefined` when it has no name, or has it twice. */
function readTool(text: Buffer, { start, end }: Span): OfferedTool | undefined {
  if (text[start] !== OPEN_BRACE) return undefined;
  const name = readString(text, findMembers(text, start, ["name"])?.spans[0]);
  return name === undefined ? undefined : { name, definition: readDefinition(text.subarray(start, end)) };
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

function isDefinition(value: unknown): value is ToolDefinition {
  return isRecord(value) && typeof value.name === "string";
}
