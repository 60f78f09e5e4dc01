/**
 * Reads what a client posted. Clients are not trusted, so the text is fully parsed first; the server still receives
 * the client's own bytes.
 */
import { isUtf8 } from "node:buffer";
import { isRecord } from "@toolhive/http/values";
import type { Limits } from "../options/limits.ts";
import { type Envelope, RPC_ERRORS, readEnvelope } from "./json-rpc.ts";
import { findElements, hasTooManyValues, type Span, skipSpace } from "./json-scanner.ts";
import { readMembers } from "./member-names.ts";

export interface ClientMessage {
  readonly envelope: Envelope;
  /** Where its progress token is in the text of the envelope. */
  readonly progressToken?: Span | undefined;
  /** The parsed `params`, or `{}` when absent or no object. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Why a body is refused. */
interface Refusal {
  readonly kind: "invalid";
  readonly code: number;
  readonly reason: string;
}

export type ClientBody =
  | { readonly kind: "single"; readonly message: ClientMessage }
  | { readonly kind: "batch"; readonly messages: readonly ClientMessage[] }
  | Refusal;

export type BodyLimits = Pick<Limits, "maxBatch" | "maxMessageValues">;

const OPEN_BRACKET = 0x5b;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** An object counts as four values and has at least three characters, so short bodies need no count. */
function isTooDense(body: Buffer, maxValues: number): boolean {
  return body.length > maxValues / 2 && hasTooManyValues(body, maxValues);
}

/** Counts values before parsing: parsing a million small values is what costs. */
export function readClientBody(body: Buffer, { maxBatch, maxMessageValues }: BodyLimits): ClientBody {
  const first = skipSpace(body, 0);
  if (body[first] === OPEN_BRACKET && (findElements(body, first, maxBatch + 1)?.length ?? 0) > maxBatch) {
    return { kind: "invalid", code: RPC_ERRORS.TOO_MANY, reason: `A batch takes ${maxBatch} messages at most.` };
  }
  if (isTooDense(body, maxMessageValues)) {
    const reason = `The body has more than ${maxMessageValues} values, or too many in each other.`;
    return { kind: "invalid", code: RPC_ERRORS.TOO_MANY, reason };
  }
  const parsed = isUtf8(body) ? parse(body) : undefined;
  if (parsed === undefined) return { kind: "invalid", code: RPC_ERRORS.PARSE, reason: "The body is not valid JSON." };
  const text = replaceLineEnds(body);
  const start = skipSpace(text, 0);
  if (text[start] !== OPEN_BRACKET) {
    const message = readMessage(text, parsed.value);
    return isRefusal(message) ? message : { kind: "single", message };
  }
  const values: unknown[] = Array.isArray(parsed.value) ? parsed.value : [];
  const spans = findElements(text, start) ?? [];
  const messages: ClientMessage[] = [];
  for (const [index, span] of spans.entries()) {
    const message = readMessage(text.subarray(span.start, span.end), values[index]);
    if (isRefusal(message)) return message;
    messages.push(message);
  }
  return messages.length === 0 ? NO_MESSAGE : { kind: "batch", messages };
}

const NO_MESSAGE: Refusal = {
  kind: "invalid",
  code: RPC_ERRORS.INVALID_REQUEST,
  reason: "The body is not a JSON-RPC 2.0 message.",
};

function parse(body: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(body.toString("utf8")) };
  } catch {
    // The caller answers with a parse error.
    return undefined;
  }
}

function readMessage(text: Buffer, value: unknown): ClientMessage | Refusal {
  const envelope = readEnvelope(text);
  if (envelope === undefined || !isRecord(value)) return NO_MESSAGE;
  const reading = readMembers(envelope, value);
  if (reading.kind === "unclear") {
    return { kind: "invalid", code: RPC_ERRORS.INVALID_REQUEST, reason: reading.reason };
  }
  return { envelope, progressToken: reading.progressToken, params: isRecord(value.params) ? value.params : {} };
}

function isRefusal(message: ClientMessage | Refusal): message is Refusal {
  return "kind" in message;
}

/** In valid JSON line ends occur only between tokens, so blanks may replace them; on stdio they would end the message. */
function replaceLineEnds(body: Buffer): Buffer {
  if (!body.includes(NEWLINE) && !body.includes(CARRIAGE_RETURN)) return body;
  const copy = Buffer.from(body);
  for (let index = 0; index < copy.length; index++) {
    if (copy[index] === NEWLINE || copy[index] === CARRIAGE_RETURN) copy[index] = SPACE;
  }
  return copy;
}
