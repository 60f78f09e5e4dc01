/**
 * `subscriptions/listen` of revision 2026-07-28, served here for servers of older revisions: one stream that brings the
 * changes a client asked for, each marked with the id of its subscription.
 */
import { isRecord } from "@toolhive/http/values";
import { readEnvelope, readNumber, readString } from "../../messages/json-rpc.ts";
import { findMembers, findPath, listMembers, splice } from "../../messages/json-scanner.ts";
import { META } from "../../messages/meta-keys.ts";

export interface ListenFilter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

const LISTS = [
  ["toolsListChanged", "tools", "notifications/tools/list_changed"],
  ["promptsListChanged", "prompts", "notifications/prompts/list_changed"],
  ["resourcesListChanged", "resources", "notifications/resources/list_changed"],
] as const;

/**
 * Selects the part of the requested filter that the server supports.
 *
 * @param wanted The request's `params.notifications`. @param capabilities The server's. @returns `undefined` when the
 * request holds no valid filter.
 */
export function selectSupportedFilter(
  wanted: unknown,
  capabilities: Readonly<Record<string, unknown>>,
): ListenFilter | undefined {
  if (!isRecord(wanted)) return undefined;
  const has = (name: string, bit: string): boolean => {
    const group = capabilities[name];
    return isRecord(group) && group[bit] === true;
  };
  const filter: Record<string, unknown> = {};
  for (const [wish, name] of LISTS) if (wanted[wish] === true && has(name, "listChanged")) filter[wish] = true;
  const { resourceSubscriptions: uris } = wanted;
  if (uris !== undefined && !isStringArray(uris)) return undefined;
  if (uris !== undefined && uris.length > 0 && has("resources", "subscribe")) filter.resourceSubscriptions = uris;
  return filter;
}

/** The first message of the stream. @param id Raw JSON of the listen request's id. */
export function createAcknowledgement(id: Buffer, filter: ListenFilter): Buffer {
  const meta = `{"${META.subscriptionId}":${id.toString("utf8")}}`;
  return Buffer.from(
    `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":${JSON.stringify(filter)},"_meta":${meta}}}`,
  );
}

/** Marks a change for a subscription. @returns `undefined` when the filter excludes it. */
export function markForSubscription(text: Buffer, id: Buffer, filter: ListenFilter): Buffer | undefined {
  const envelope = readEnvelope(text);
  if (envelope === undefined || envelope.kind !== "notification" || !isWanted(text, filter)) return undefined;
  const mark = `"${META.subscriptionId}":${id.toString("utf8")}`;
  const { params } = envelope;
  if (params === undefined) {
    const end = text.lastIndexOf("}");
    return splice(text, [{ span: { start: end, end }, bytes: Buffer.from(`,"params":{"_meta":{${mark}}}`) }]);
  }
  const meta = findMembers(text, params.start, ["_meta"])?.spans[0];
  const at = (meta ?? params).start + 1;
  const isEmpty = (listMembers(text, at - 1) ?? []).length === 0;
  const added = (meta === undefined ? `"_meta":{${mark}}` : mark) + (isEmpty ? "" : ",");
  return splice(text, [{ span: { start: at, end: at }, bytes: Buffer.from(added) }]);
}

function isWanted(text: Buffer, filter: ListenFilter): boolean {
  const envelope = readEnvelope(text);
  // What is already marked is the acknowledgement, or a server's own.
  if (envelope?.params !== undefined && hasMark(text, envelope.params.start)) return false;
  for (const [wish, , method] of LISTS) if (envelope?.method === method) return filter[wish] === true;
  if (envelope?.method !== "notifications/resources/updated" || envelope.params === undefined) return false;
  const uri = readString(text, findPath(text, envelope.params.start, ["uri"]));
  if (uri === undefined) return false;
  return filter.resourceSubscriptions?.some((wanted) => uri === wanted || uri.startsWith(`${wanted}/`)) === true;
}

function hasMark(text: Buffer, params: number): boolean {
  const mark = findPath(text, params, ["_meta", META.subscriptionId]);
  return readNumber(text, mark) !== undefined || readString(text, mark) !== undefined;
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
