/**
 * The two tools that replace all others: describes them, reads calls of them, and translates `call_tool`. A call by `call_tool`
 * becomes the call of the tool that it names, and all later parts treat it as such.
 */
import { BRAND } from "@toolhive/core/brand";
import { isRecord, quote } from "@toolhive/http/values";
import type { ClientMessage } from "../messages/client-message.ts";
import {
  copySpan,
  createErrorReply,
  createResultReply,
  RPC_ERRORS,
  readEnvelope,
  readString,
} from "../messages/json-rpc.ts";
import { findElements, findMembers, findPath, listMembers, type Span, splice } from "../messages/json-scanner.ts";
import { type ComparedPage, findPage } from "../messages/lists/list-pages.ts";
import { LIST_TOOLS } from "../messages/methods.ts";
import type { FindableTool, ToolIndex } from "./tool-index.ts";

export const FIND_TOOL = "find_tool";
export const CALL_TOOL = "call_tool";
const TOOLS_CALL = "tools/call";

const MAX_QUERY_LENGTH = 1_000;
const MAX_FOUND = 20;
const DEFAULT_FOUND = 5;
/** Names that an answer to a wrong one offers. */
const NEAR_NAMES = 3;
const MAX_SHOWN_NAME = 200;

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** What clients get in the place of the list. */
export const TWO_TOOLS: readonly Readonly<Record<string, unknown>>[] = [
  {
    name: FIND_TOOL,
    title: "Find a tool",
    description:
      "Finds the tools that fit what you want to do, each with its name, description and input schema. Many tools are available here and only this way shows them: search before you decide that something cannot be done. Describe the task in plain words, with what it is about (for example: create an issue in a repository). Then run one of them with call_tool.",
    inputSchema: {
      type: "object",
      properties: {
        query: {
          type: "string",
          minLength: 1,
          maxLength: MAX_QUERY_LENGTH,
          description: "What you want to do, in a few words.",
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_FOUND,
          default: DEFAULT_FOUND,
          description: "How many tools to show at most.",
        },
      },
      required: ["query"],
      additionalProperties: false,
    },
    annotations: { title: "Find a tool", readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: CALL_TOOL,
    title: "Call a tool",
    description: "Runs a tool that find_tool has shown, and answers with its result.",
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", minLength: 1, description: "Its name, exactly as find_tool shows it." },
        arguments: { type: "object", description: "What its inputSchema asks for. Default: nothing." },
      },
      required: ["name"],
      additionalProperties: false,
    },
    annotations: { title: "Call a tool" },
  },
];

const TWO_TOOLS_JSON = JSON.stringify(TWO_TOOLS);
/** Bytes that they take of the context of a model. */
export const TWO_TOOLS_BYTES: number = Buffer.byteLength(TWO_TOOLS_JSON);

type Meaning =
  /** It is about something else. */
  | { readonly kind: "other" }
  | { readonly kind: "list" }
  | { readonly kind: "find"; readonly query: string; readonly limit: number }
  | { readonly kind: "call"; readonly name: string; readonly message: ClientMessage }
  | { readonly kind: "refuse"; readonly reason: string };

/** A message of a client, with what the server gets in its place when the server is to answer. */
export type FindCall = Meaning & { readonly message: ClientMessage };

/** The meaning of a message at an endpoint where two tools replace all. */
export function readFindCall(message: ClientMessage): FindCall {
  return { message, ...readMeaning(message) };
}

function readMeaning(message: ClientMessage): Meaning {
  const { envelope, params } = message;
  if (envelope.kind !== "request" || asksForAll(params)) return OTHER;
  if (envelope.method === LIST_TOOLS) return { kind: "list" };
  if (envelope.method !== TOOLS_CALL) return OTHER;
  if (params.name === FIND_TOOL) return readFind(params.arguments);
  return params.name === CALL_TOOL ? readCall(message) : OTHER;
}

const OTHER: Meaning = { kind: "other" };

/** A client that wants the whole list receives it: the list contains no tool that may not be called. */
function asksForAll({ _meta: meta }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(meta) && meta[BRAND.allToolsMeta] === true;
}

function readFind(args: unknown): Meaning {
  const { query, limit = DEFAULT_FOUND } = isRecord(args) ? args : {};
  if (typeof query !== "string" || query.trim() === "" || query.length > MAX_QUERY_LENGTH) {
    const reason = `${FIND_TOOL} needs "query": what you want to do, in 1 to ${MAX_QUERY_LENGTH} characters.`;
    return { kind: "refuse", reason };
  }
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > MAX_FOUND) {
    return { kind: "refuse", reason: `"limit" of ${FIND_TOOL} must be a whole number from 1 to ${MAX_FOUND}.` };
  }
  return { kind: "find", query, limit };
}

function readCall(message: ClientMessage): Meaning {
  const { name, arguments: given } = isRecord(message.params.arguments) ? message.params.arguments : {};
  if (typeof name !== "string" || name === "") {
    return { kind: "refuse", reason: `${CALL_TOOL} needs "name": the name of a tool, as ${FIND_TOOL} shows it.` };
  }
  if (given !== undefined && !isRecord(given)) {
    return {
      kind: "refuse",
      reason: `"arguments" of ${CALL_TOOL} must be an object: what the tool's inputSchema asks for.`,
    };
  }
  const inner = translateCall(message);
  if (inner === undefined) return { kind: "refuse", reason: `${CALL_TOOL} has a member twice.` };
  return { kind: "call", name, message: inner };
}

/** @returns The call of the tool that is named; `undefined` when that is not clear. */
function translateCall({ envelope, params, progressToken }: ClientMessage): ClientMessage | undefined {
  const { text } = envelope;
  const outer = envelope.params && findMembers(text, envelope.params.start, ["name", "arguments"]);
  const [nameSpan, argumentsSpan] = outer?.spans ?? [];
  const inner = argumentsSpan && findMembers(text, argumentsSpan.start, ["name", "arguments"]);
  const [innerName, innerArguments] = inner?.spans ?? [];
  if (nameSpan === undefined || argumentsSpan === undefined || innerName === undefined) return undefined;
  const changed = splice(text, [
    { span: nameSpan, bytes: copySpan(text, innerName) },
    { span: argumentsSpan, bytes: innerArguments ? copySpan(text, innerArguments) : Buffer.from("{}") },
  ]);
  const given = isRecord(params.arguments) ? params.arguments : {};
  const { arguments: args = {} } = given;
  return readChanged(changed, { ...params, name: given.name, arguments: args }, progressToken);
}

/** @returns The call of a tool that the server itself has under this name, also where its clients find tools. */
export function markOwnTool(message: ClientMessage): ClientMessage {
  const { envelope, params, progressToken } = message;
  if ((params.name !== FIND_TOOL && params.name !== CALL_TOOL) || envelope.params === undefined) return message;
  const { text } = envelope;
  const meta = findPath(text, envelope.params.start, ["_meta"]);
  const mark = `${JSON.stringify(BRAND.allToolsMeta)}:true`;
  const at = (meta ?? envelope.params).start + 1;
  const comma = meta && (listMembers(text, meta.start) ?? []).length === 0 ? "" : ",";
  const bytes = Buffer.from((meta ? mark : `"_meta":{${mark}}`) + comma);
  const marked = splice(text, [{ span: { start: at, end: at }, bytes }]);
  return (
    readChanged(marked, { ...params, _meta: { ...readMeta(params), [BRAND.allToolsMeta]: true } }, progressToken) ??
    message
  );
}

function readMeta({ _meta: meta }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isRecord(meta) ? meta : {};
}

/** @returns `undefined` when the progress token is lost: the server would receive the client's own. */
function readChanged(
  text: Buffer,
  params: Readonly<Record<string, unknown>>,
  progressToken: Span | undefined,
): ClientMessage | undefined {
  const envelope = readEnvelope(text);
  const token = progressToken && envelope?.params && findPath(text, envelope.params.start, ["_meta", "progressToken"]);
  if (envelope?.params === undefined || (token === undefined) !== (progressToken === undefined)) return undefined;
  return { envelope, params, progressToken: token };
}

/** A request for a page of all tools, with the id and the `_meta` of another request. */
export function createListRequest({ envelope }: ClientMessage, cursor: string | undefined): ClientMessage {
  // Read from the text: the parsed parameters of a client of a later revision contain more than the server may receive.
  const span = envelope.params && findPath(envelope.text, envelope.params.start, ["_meta"]);
  const given: unknown = span && JSON.parse(envelope.text.toString("utf8", span.start, span.end));
  const { progressToken: _token, ...meta } = isRecord(given) ? given : {};
  const listParams = { ...(cursor !== undefined && { cursor }), _meta: { ...meta, [BRAND.allToolsMeta]: true } };
  const id = envelope.id ? envelope.text.toString("utf8", envelope.id.start, envelope.id.end) : "null";
  const text = `{"jsonrpc":"2.0","id":${id},"method":"${LIST_TOOLS}","params":${JSON.stringify(listParams)}}`;
  const list = readEnvelope(Buffer.from(text));
  if (list === undefined) throw new Error("a valid request lost its form");
  return { envelope: list, params: listParams };
}

export interface ToolPage extends ComparedPage {
  readonly tools: readonly FindableTool[];
}

/** @param limit Tools that are read at most. @returns `undefined` when the answer is no list. */
export function readToolPage(response: Buffer, limit: number): ToolPage | undefined {
  const { list, nextCursor } = findPage(response, "tools");
  if (list === undefined || response[list.start] !== OPEN_BRACKET) return undefined;
  const tools = (findElements(response, list.start, limit) ?? []).flatMap((span) => readTool(response, span) ?? []);
  return { tools, nextCursor, text: response.subarray(list.start, list.end) };
}

function readTool(response: Buffer, span: Span): FindableTool | undefined {
  if (response[span.start] !== OPEN_BRACE) return undefined;
  const name = readString(response, findMembers(response, span.start, ["name"])?.spans[0]);
  const text = response.toString("utf8", span.start, span.end);
  return name === undefined || !isJson(text) ? undefined : { name, text };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // A server's answer is not parsed on its way, and may hold anything.
    return false;
  }
}

/** The answer to `tools/list` with the two tools in the place of its own; any other answer unchanged. */
export function showTwoTools(response: Buffer): Buffer {
  const result = readEnvelope(response)?.result;
  const members = result && listMembers(response, result.start);
  if (members?.some(({ key }) => key === "tools") !== true || result === undefined) return response;
  // There is one page, and everything else that the answer says stays.
  const others = members.filter(({ key }) => key !== "tools" && key !== "nextCursor");
  const parts = others.map(({ start, end }) => `,${response.toString("utf8", start, end)}`);
  return splice(response, [{ span: result, bytes: Buffer.from(`{"tools":${TWO_TOOLS_JSON}${parts.join("")}}`) }]);
}

export interface FoundTools {
  /** Best first. */
  readonly found: readonly FindableTool[];
  /** Whether there are more than were searched. */
  readonly hasUnread: boolean;
}

export function createFoundReply(id: Buffer, { found, hasUnread }: FoundTools): Buffer {
  const tools = found.map(formatFound).join(",");
  const hint = [
    ...(found.length === 0 ? ["No tool fits these words. Say it in others, or more generally."] : []),
    ...(hasUnread ? ["There are more tools than are searched."] : []),
  ].join(" ");
  return createToolReply(id, `{"tools":[${tools}]${hint === "" ? "" : `,"hint":${JSON.stringify(hint)}`}}`);
}

/** What is needed to call it: the bytes of the server's own members. */
function formatFound({ text }: FindableTool): string {
  const bytes = Buffer.from(text);
  const names = ["name", "description", "inputSchema"] as const;
  const spans = findMembers(bytes, 0, names)?.spans ?? [];
  const members = names.flatMap((name, at) => {
    const span = spans[at];
    return span === undefined ? [] : [`"${name}":${bytes.toString("utf8", span.start, span.end)}`];
  });
  return `{${members.join(",")}}`;
}

/** @param json Object. */
function createToolReply(id: Buffer, json: string): Buffer {
  return createResultReply(
    id,
    `{"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}}`,
  );
}

/** The model that calls reads results; an error of the protocol may end its turn. */
export function createFailedReply(id: Buffer, reason: string): Buffer {
  return createResultReply(id, JSON.stringify({ content: [{ type: "text", text: reason }], isError: true }));
}

/** @param index What the client can call. */
export function describeUnknown(name: string, index: ToolIndex): string {
  const shown = quote(name, MAX_SHOWN_NAME);
  const meant = index.listNearNames(name, NEAR_NAMES).map((each) => JSON.stringify(each));
  const hint = meant.length === 0 ? "" : ` Did you mean ${meant.join(" or ")}?`;
  return `There is no tool ${shown} here.${hint} Search with ${FIND_TOOL}, and use a name exactly as it shows it.`;
}

/**
 * @param answer What the server sent in place of a list. @returns The client's answer: the server's error, or an error that there
 * is no list.
 */
export function createUnlistedReply(id: Buffer, answer: Buffer): Buffer {
  const { id: own, result } = readEnvelope(answer) ?? {};
  if (result === undefined) return own === undefined ? answer : splice(answer, [{ span: own, bytes: id }]);
  return createErrorReply(id, RPC_ERRORS.INTERNAL, "The server's list of tools cannot be read.");
}
