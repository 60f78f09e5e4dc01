/**
 * Carries messages between a client of revision 2026-07-28 and a server of an older one, by edits of their bytes:
 * removes what the other side does not know, adds what it requires, and keeps all other bytes.
 */
import { readErrorCode } from "../error-code.ts";
import { RPC_ERRORS, readEnvelope } from "../json-rpc.ts";
import { type Edit, findMembers, findPath, listMembers, skipSpace, splice } from "../json-scanner.ts";
import { META } from "../meta-keys.ts";

/** Results that say how long they may be kept (`ttlMs`, `cacheScope` are required there). */
const CACHEABLE = new Set([
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "server/discover",
]);

/** Methods that the revision without sessions removed; a server of an older revision would still answer them. */
const REMOVED = new Set([
  "initialize",
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
  "tasks/list",
  "tasks/result",
]);

const ENVELOPE_KEYS: ReadonlySet<string> = new Set([META.revision, META.clientInfo, META.capabilities, META.logLevel]);
const SUBSCRIPTION_KEYS: ReadonlySet<string> = new Set([META.subscriptionId]);
const RETRY_KEYS: ReadonlySet<string> = new Set(["inputResponses", "requestState"]);

export function isRemoved(method: string): boolean {
  return REMOVED.has(method);
}

/** Removes the envelope from a request's `_meta`, and the members of a retry from its `params`. */
export function removeEnvelope(text: Buffer): Buffer {
  const params = readEnvelope(text)?.params;
  if (params === undefined) return text;
  const bytes = removeMembers(text, params.start, RETRY_KEYS);
  const plain = bytes === undefined ? text : splice(text, [{ span: params, bytes }]);
  const meta = findPath(plain, skipSpace(plain, 0), ["params", "_meta"]);
  const rest = meta === undefined ? undefined : removeMembers(plain, meta.start, ENVELOPE_KEYS);
  return meta === undefined || rest === undefined ? plain : splice(plain, [{ span: meta, bytes: rest }]);
}

/**
 * Adds the envelope to a request, and the members of a retry to its `params`. What the request has already stays as it is.
 *
 * @param retry Raw JSON of members.
 */
export function addEnvelope(text: Buffer, envelope: Readonly<Record<string, unknown>>, retry: readonly string[] = []) {
  const own = JSON.stringify(envelope).slice(1, -1);
  const params = readEnvelope(text)?.params;
  const meta = params && findMembers(text, params.start, ["_meta"])?.spans[0];
  if (meta !== undefined && params !== undefined) {
    const edits = [createInsertion(text, meta.start, [own]), createInsertion(text, params.start, retry)];
    return splice(text, edits);
  }
  const members = [`"_meta":{${own}}`, ...retry];
  if (params !== undefined) return splice(text, [createInsertion(text, params.start, members)]);
  const end = text.lastIndexOf("}");
  return splice(text, [{ span: { start: end, end }, bytes: Buffer.from(`,"params":{${members.join(",")}}`) }]);
}

/** Removes from a notification what says to which subscription it belongs. */
export function removeSubscription(text: Buffer): Buffer {
  const meta = findPath(text, skipSpace(text, 0), ["params", "_meta"]);
  const rest = meta && removeMembers(text, meta.start, SUBSCRIPTION_KEYS);
  return meta === undefined || rest === undefined ? text : splice(text, [{ span: meta, bytes: rest }]);
}

/** @param at Where the object opens. @param members Raw JSON. */
function createInsertion(text: Buffer, at: number, members: readonly string[]): Edit {
  const isLast = members.length === 0 || (listMembers(text, at) ?? []).length === 0;
  return { span: { start: at + 1, end: at + 1 }, bytes: Buffer.from(members.join(",") + (isLast ? "" : ",")) };
}

/** @returns The object that opens at `at` without some members; `undefined` when it has none of them. */
function removeMembers(text: Buffer, at: number, names: ReadonlySet<string>): Buffer | undefined {
  const members = listMembers(text, at) ?? [];
  const kept = members.filter(({ key }) => !names.has(key));
  if (kept.length === members.length) return undefined;
  const parts = kept.map(({ start, end }) => text.toString("utf8", start, end));
  return Buffer.from(`{${parts.join(",")}}`);
}

/** Adds the members that results require since 2026-07-28. @param serverInfo Raw JSON. Errors are not changed. */
export function addResultMembers(text: Buffer, method: string, serverInfo: Buffer | undefined): Buffer {
  const result = readEnvelope(text)?.result;
  if (result === undefined) return text;
  const found = findMembers(text, result.start, ["resultType", "ttlMs", "cacheScope", "_meta"]);
  if (found === undefined) return text;
  const [resultType, ttlMs, cacheScope, meta] = found.spans;
  const added: string[] = [];
  if (resultType === undefined) added.push('"resultType":"complete"');
  if (CACHEABLE.has(method) && ttlMs === undefined) added.push('"ttlMs":0');
  if (CACHEABLE.has(method) && cacheScope === undefined) added.push('"cacheScope":"private"');
  if (meta === undefined && serverInfo !== undefined) {
    added.push(`"_meta":{"${META.serverInfo}":${serverInfo.toString("utf8")}}`);
  }
  if (added.length === 0) return text;
  const isEmpty = (listMembers(text, result.start) ?? []).length === 0;
  const at = result.start + 1;
  return splice(text, [{ span: { start: at, end: at }, bytes: Buffer.from(added.join(",") + (isEmpty ? "" : ",")) }]);
}

/** The HTTP status of an answer since 2026-07-28: two errors have their own, all others are in the body alone. */
export function toHttpStatus(text: Buffer): number {
  const code = readEnvelope(text)?.result === undefined ? readErrorCode(text) : undefined;
  if (code === RPC_ERRORS.METHOD_NOT_FOUND) return 404;
  return code === RPC_ERRORS.MISSING_CAPABILITY ? 400 : 200;
}
