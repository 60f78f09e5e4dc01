/** Finds the server that a client's request is about, and puts the server's own name into it. */
import { isRecord, quote } from "@toolhive/http/values";
import { replaceParameter } from "../../authz/tool-choice.ts";
import type { ClientMessage } from "../../messages/client-message.ts";
import { RPC_ERRORS } from "../../messages/json-rpc.ts";
import { SUBSCRIBE, UNSUBSCRIBE } from "../../messages/methods.ts";
import type { AmbiguousTarget, Catalog, CatalogTarget } from "./catalog.ts";
import { assertNamedOnce } from "./named-once.ts";

export type RoutedMessage =
  | {
      readonly kind: "routed";
      readonly server: string;
      readonly message: ClientMessage;
      /** Of a resource, as the client knows it. */
      readonly uri: string | undefined;
    }
  | { readonly kind: "refuse"; readonly code: number; readonly reason: string };

/** The protocol's code for a resource that no server has. */
const RESOURCE_NOT_FOUND = -32002;
/** Addresses that a refusal names. */
const MAX_ADDRESSES = 5;
const URI_METHODS: ReadonlySet<string> = new Set(["resources/read", SUBSCRIBE, UNSUBSCRIBE]);

export function routeMessage(message: ClientMessage, catalog: Catalog): RoutedMessage {
  const { envelope, params } = message;
  const { method } = envelope;
  if (method === "tools/call") return routeTo(message, ["name"], params.name, (name) => catalog.find("tools", name));
  if (method === "prompts/get") return routeTo(message, ["name"], params.name, (name) => catalog.find("prompts", name));
  if (URI_METHODS.has(method)) return routeTo(message, ["uri"], params.uri, (uri) => catalog.findResource(uri));
  if (method === "completion/complete") return routeCompletion(message, catalog);
  return { kind: "refuse", code: RPC_ERRORS.METHOD_NOT_FOUND, reason: `A group has no ${method.slice(0, 100)}.` };
}

function routeCompletion(message: ClientMessage, catalog: Catalog): RoutedMessage {
  const { ref } = message.params;
  const { type, name, uri } = isRecord(ref) ? ref : {};
  if (type === "ref/prompt") {
    return routeTo(message, ["ref", "name"], name, (text) =>
      catalog.find("prompts", catalog.findShown("prompts", text)),
    );
  }
  return routeTo(message, ["ref", "uri"], uri, (text) => catalog.findTemplate(text));
}

function routeTo(
  message: ClientMessage,
  path: readonly string[],
  value: unknown,
  find: (value: string) => CatalogTarget | AmbiguousTarget | undefined,
): RoutedMessage {
  const isUri = path.at(-1) === "uri";
  if (typeof value !== "string") {
    const reason = `${message.envelope.method} needs params.${path.join(".")}.`;
    return { kind: "refuse", code: RPC_ERRORS.INVALID_PARAMS, reason };
  }
  const target = find(value);
  if (target === undefined) {
    const reason = `No server of this group has ${quote(value, 200)}. Ask for the lists again.`;
    return { kind: "refuse", code: isUri ? RESOURCE_NOT_FOUND : RPC_ERRORS.INVALID_PARAMS, reason };
  }
  if ("addresses" in target) {
    const addresses = target.addresses.slice(0, MAX_ADDRESSES).map((address) => quote(address, 300));
    const reason = `Several servers of this group could mean ${quote(value, 200)}. Use one of: ${addresses.join(", ")}.`;
    return { kind: "refuse", code: RPC_ERRORS.INVALID_PARAMS, reason };
  }
  const { server, own } = target;
  if (own !== value) assertNamedOnce(message, path);
  const routed = own === value ? message : replaceParameter(message, path, own);
  return { kind: "routed", server, message: routed, uri: isUri ? value : undefined };
}
