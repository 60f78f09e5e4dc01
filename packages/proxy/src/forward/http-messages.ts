/** Parses and authorizes messages for a server that speaks HTTP itself, before anything is forwarded. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Refusal } from "../authz/call-rules.ts";
import type { BodyBudget } from "../http/body-budget.ts";
import { HttpRefusal, readHeader, readMediaType, receiveBody, sendEmpty, sendJson } from "../http/http-exchange.ts";
import { type BodyLimits, type ClientMessage, readClientBody } from "../messages/client-message.ts";
import { copySpan, createErrorReply, RPC_ERRORS } from "../messages/json-rpc.ts";
import type { Limits } from "../options/limits.ts";
import { isModern, readModernClient } from "../transports/modern/envelope.ts";

export interface AdmitMessagesOptions {
  readonly bodyBudget: BodyBudget;
  readonly limits: BodyLimits & Pick<Limits, "maxBodyBytes">;
  /**
   * Whether clients of 2026-07-28 must repeat the body in headers: over streamable HTTP they must, HTTP with SSE has no
   * such headers.
   */
  readonly hasMirrorHeaders: boolean;
  /** Before messages are judged. @returns What they mean; `undefined` when the client has its answer. Default: unchanged. */
  readonly intercept?:
    | ((messages: readonly ClientMessage[]) => Promise<readonly ClientMessage[] | undefined>)
    | undefined;
  /** Why a message is denied; `undefined` when it is permitted. */
  readonly findRefusal: (message: ClientMessage) => Refusal | undefined;
  /** Whether a body without a valid message is admitted: the server refuses it, or has another use for it. Default false. */
  readonly passesUnread?: boolean | undefined;
  /** A permitted message as the server knows it. Default: unchanged. */
  readonly rewrite?: ((message: ClientMessage) => ClientMessage) | undefined;
}

export interface AdmittedBody {
  readonly bytes: Buffer;
  readonly messages: readonly ClientMessage[];
  /** The server's own name of the one tool that is called, where the client used another one. */
  readonly called: string | undefined;
}

/**
 * @returns The body to send; `undefined` when the request is answered already.
 * @throws {HttpRefusal} for a body without a valid message, which no policy could judge.
 */
export async function admitMessages(
  request: IncomingMessage,
  response: ServerResponse,
  { bodyBudget, limits, hasMirrorHeaders, intercept, findRefusal, rewrite, passesUnread }: AdmitMessagesOptions,
): Promise<AdmittedBody | undefined> {
  if (!isJson(request)) {
    const reason = "Content-Type must be application/json, without a Content-Encoding.";
    throw new HttpRefusal(415, RPC_ERRORS.INVALID_REQUEST, reason);
  }
  let admitted: AdmittedBody | undefined;
  await receiveBody(request, { bodyBudget, maxBytes: limits.maxBodyBytes }, (bytes) => {
    const body = readClientBody(bytes, limits);
    if (body.kind === "invalid" && passesUnread) {
      admitted = { bytes, messages: [], called: undefined };
      return undefined;
    }
    if (body.kind === "invalid") throw new HttpRefusal(400, body.code, body.reason);
    const messages = body.kind === "single" ? [body.message] : body.messages;
    if (hasMirrorHeaders && body.kind === "single") checkHeaders(body.message, request);
    const judge = (meant: readonly ClientMessage[]): void => {
      if (!refuseMessages(meant, response, findRefusal))
        admitted = rewriteBody(bytes, { given: messages, meant }, rewrite);
    };
    if (intercept === undefined) {
      judge(messages);
      return undefined;
    }
    return intercept(messages).then((meant) => meant && judge(meant));
  });
  return admitted;
}

/** Whether the body is plain JSON by its headers. */
export function isJson(request: IncomingMessage): boolean {
  const type = readMediaType(request);
  const encoding = readHeader(request, "content-encoding")?.trim().toLowerCase() ?? "identity";
  return type === "application/json" && encoding === "identity";
}

function rewriteBody(
  bytes: Buffer,
  { given, meant }: { readonly given: readonly ClientMessage[]; readonly meant: readonly ClientMessage[] },
  rewrite: AdmitMessagesOptions["rewrite"],
): AdmittedBody {
  const rewritten = rewrite === undefined ? meant : meant.map((message) => rewrite(message));
  if (rewritten.every((message, index) => message === given[index])) {
    return { bytes, messages: given, called: undefined };
  }
  const [first] = rewritten;
  if (first !== undefined && rewritten.length === 1) {
    const { name } = first.params;
    return { bytes: first.envelope.text, messages: rewritten, called: typeof name === "string" ? name : undefined };
  }
  const texts = rewritten.map(({ envelope }) => envelope.text.toString("utf8"));
  return { bytes: Buffer.from(`[${texts.join(",")}]`), messages: rewritten, called: undefined };
}

/** Since 2026-07-28 headers repeat the body: a server that reads them must not do something else. @throws {HttpRefusal} */
function checkHeaders(message: ClientMessage, request: IncomingMessage): void {
  if (!isModern(message, readHeader(request, "mcp-protocol-version"))) return;
  try {
    readModernClient(message, request);
  } catch (error) {
    throw error instanceof HttpRefusal ? error.withId(copyId(message)) : error;
  }
}

/** If one message of a batch is denied, all are: they may belong together. */
function refuseMessages(
  messages: readonly ClientMessage[],
  response: ServerResponse,
  findRefusal: AdmitMessagesOptions["findRefusal"],
): boolean {
  const refusals = messages.map(findRefusal);
  if (refusals.every((refusal) => refusal === undefined)) return false;
  const requests = messages.flatMap((message, index) => {
    const id = copyId(message);
    const reason = refusals[index]?.reason ?? "Another message of the same batch is not permitted.";
    return id === undefined || message.envelope.kind !== "request"
      ? []
      : [createErrorReply(id, RPC_ERRORS.DENIED, reason)];
  });
  const [only] = requests;
  const status = refusals.some((refusal) => refusal?.status === 403) ? 403 : 200;
  if (only === undefined) sendEmpty(response, 202);
  else if (messages.length === 1) sendJson(response, status, only);
  else sendJson(response, status, Buffer.from(`[${requests.map((reply) => reply.toString("utf8")).join(",")}]`));
  return true;
}

/** The id of the one request of a body, raw JSON: a batch has none that an error could be about. */
export function readRequestId({ messages }: AdmittedBody): Buffer | undefined {
  const [message] = messages;
  return messages.length === 1 && message?.envelope.kind === "request" ? copyId(message) : undefined;
}

export function isInitialize({ messages }: AdmittedBody): boolean {
  return messages.length === 1 && messages[0]?.envelope.method === "initialize";
}

function copyId({ envelope }: ClientMessage): Buffer | undefined {
  return envelope.id === undefined ? undefined : copySpan(envelope.text, envelope.id);
}
