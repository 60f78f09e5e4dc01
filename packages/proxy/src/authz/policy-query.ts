/** Translates a message into policy queries (api-behaviour 10.3 and 10.5). */
import { isRecord, quote } from "@toolhive/http/values";
import type { ClientMessage } from "../messages/client-message.ts";
import { skipSpace } from "../messages/json-scanner.ts";
import { KnownNames } from "../messages/member-names.ts";
import type { Action, PolicyQuery } from "./cedar/query.ts";
import { findMemberProblem, MAX_DEPTH } from "./repeated-members.ts";

export type PolicyQueries =
  | { readonly kind: "ask"; readonly queries: readonly PolicyQuery[] }
  /** Needs no decision: its answer is filtered, or it is about the connection. */
  | { readonly kind: "free" }
  | { readonly kind: "refuse"; readonly reason: string };

/** Cedar needs a tenth of a millisecond for each. */
export const MAX_POLICY_QUERIES = 1_000;

const FREE: PolicyQueries = { kind: "free" };

/** Methods without a resource that policies could name. A method that is neither here nor below is denied. */
const FREE_METHODS = new Set([
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/unsubscribe",
  "logging/setLevel",
  "notifications/initialized",
  "notifications/cancelled",
  "notifications/progress",
  "notifications/roots/list_changed",
]);

/**
 * Members that name the resource of a message. A lenient server could accept a look-alike in their place, so
 * look-alikes are denied.
 */
const PARAMS = new KnownNames([
  "_meta",
  "argument",
  "arguments",
  "context",
  "inputResponses",
  "name",
  "notifications",
  "ref",
  "requestState",
  "task",
  "uri",
]);
const REF = new KnownNames(["name", "type", "uri"]);
const NOTIFICATIONS = new KnownNames([
  "promptsListChanged",
  "resourceSubscriptions",
  "resourcesListChanged",
  "toolsListChanged",
]);

function findLookAlike(params: Params): string | undefined {
  const { ref, notifications } = params;
  return (
    PARAMS.findLookAlike(params) ??
    (isRecord(ref) ? REF.findLookAlike(ref) : undefined) ??
    (isRecord(notifications) ? NOTIFICATIONS.findLookAlike(notifications) : undefined)
  );
}

export function readPolicyQueries(message: ClientMessage): PolicyQueries {
  const { envelope, params } = message;
  // An answer to the server's own request; the relay forwards it only from the client that was asked.
  if (envelope.kind === "response") return FREE;
  const problem = findMemberProblem(envelope.text, skipSpace(envelope.text, 0));
  if (problem === "deep") {
    const reason = `The message has more than ${MAX_DEPTH + 1} objects or lists in each other, which no rule can judge.`;
    return { kind: "refuse", reason };
  }
  if (problem === "repeated") {
    // The server might read the other one; it must receive exactly the permitted one.
    return { kind: "refuse", reason: "The message has two members of the same name." };
  }
  const lookAlike = findLookAlike(params);
  if (lookAlike !== undefined) {
    const shown = quote(lookAlike, 40);
    return { kind: "refuse", reason: `The member ${shown} could be taken for another one; spell it exactly.` };
  }
  if (FREE_METHODS.has(envelope.method)) return FREE;
  const asked = listQueries(envelope.method, params);
  if (asked === undefined) return { kind: "refuse", reason: `No policy can allow the method ${envelope.method}.` };
  if (asked.length > MAX_POLICY_QUERIES) {
    return { kind: "refuse", reason: `${envelope.method} is about more than ${MAX_POLICY_QUERIES} resources.` };
  }
  if (asked.some((query) => query === undefined)) {
    return { kind: "refuse", reason: `${envelope.method} does not say what it is about.` };
  }
  return { kind: "ask", queries: asked.filter((query) => query !== undefined) };
}

type Params = Readonly<Record<string, unknown>>;

function listQueries(method: string, params: Params): (PolicyQuery | undefined)[] | undefined {
  switch (method) {
    case "tools/call":
      return [createQuery("call_tool", params.name, params.arguments)];
    case "prompts/get":
      return [createQuery("get_prompt", params.name, params.arguments)];
    case "resources/read":
    case "resources/subscribe":
      return [createQuery("read_resource", params.uri)];
    case "completion/complete":
      return [readCompletion(params.ref)];
    case "subscriptions/listen":
      return readListen(params.notifications);
    default:
      return undefined;
  }
}

function createQuery(action: Action, name: unknown, args: unknown = {}): PolicyQuery | undefined {
  if (typeof name !== "string" || name === "" || !isRecord(args)) return undefined;
  return { action, name, args };
}

function readCompletion(ref: unknown): PolicyQuery | undefined {
  if (!isRecord(ref)) return undefined;
  if (ref.type === "ref/prompt") return createQuery("get_prompt", ref.name);
  return ref.type === "ref/resource" ? createQuery("read_resource", ref.uri) : undefined;
}

function readListen(notifications: unknown): (PolicyQuery | undefined)[] {
  const uris = isRecord(notifications) ? (notifications.resourceSubscriptions ?? []) : undefined;
  return Array.isArray(uris) ? uris.map((uri) => createQuery("read_resource", uri)) : [undefined];
}
