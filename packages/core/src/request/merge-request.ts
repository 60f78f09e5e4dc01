/** Some settings of a server that exists get other values, and some are taken away. Nothing here needs Node.js. */
import type { CreateRequest } from "../workload/create-request-schema.ts";
import { readMountTarget } from "./setting-changes.ts";

/** Members with members of their own: each of those is replaced by itself. */
const NESTED = ["limits", "oidc", "oauth_config", "telemetry", "labels"] as const;

/**
 * What `changes` has takes the place of what the request has: of variables, secrets, labels, headers and limits those of the same
 * name, of volumes those of the same path in the container, and otherwise the whole member. A variable and a secret of the same
 * name are one setting: the new one takes the place of the old one.
 */
export function mergeRequest(request: CreateRequest, changes: Partial<CreateRequest>): CreateRequest {
  const nested = NESTED.flatMap((member) =>
    changes[member] === undefined ? [] : [[member, { ...request[member], ...changes[member] }] as const],
  );
  const variables = mergeBy(readVariable, dropTargets(request.env_vars, changes), changes.env_vars);
  const secrets = mergeBy(({ target }) => target, dropVariables(request.secrets, changes), changes.secrets);
  const volumes = mergeBy(readMountTarget, request.volumes, changes.volumes);
  const headers = mergeHeaders(request.header_forward, changes.header_forward);
  const { env_vars: _variables, secrets: _secrets, volumes: _volumes, header_forward: _headers, ...others } = request;
  return {
    ...others,
    ...changes,
    ...Object.fromEntries(nested),
    ...(variables.length > 0 && { env_vars: variables }),
    ...(secrets.length > 0 && { secrets }),
    ...(volumes.length > 0 && { volumes }),
    ...(headers && { header_forward: headers }),
  };
}

function mergeHeaders(before: CreateRequest["header_forward"], after: CreateRequest["header_forward"]) {
  if (before === undefined || after === undefined) return after ?? before;
  const plain = { ...before.add_plaintext_headers, ...after.add_plaintext_headers };
  const stored = { ...before.add_headers_from_secret, ...after.add_headers_from_secret };
  return {
    ...(Object.keys(plain).length > 0 && { add_plaintext_headers: plain }),
    ...(Object.keys(stored).length > 0 && { add_headers_from_secret: stored }),
  };
}

function dropTargets(variables: CreateRequest["env_vars"] = [], { secrets = [] }: Partial<CreateRequest>): string[] {
  return variables.filter((item) => !secrets.some(({ target }) => target === readVariable(item)));
}

function dropVariables(secrets: CreateRequest["secrets"] = [], { env_vars: items = [] }: Partial<CreateRequest>) {
  return secrets.filter(({ target }) => !items.some((item) => readVariable(item) === target));
}

function readVariable(item: string): string {
  return item.split("=", 1)[0] ?? "";
}

function mergeBy<T>(readKey: (item: T) => string, ...lists: readonly (readonly T[] | undefined)[]): T[] {
  return [...new Map(lists.flatMap((list = []) => list).map((item) => [readKey(item), item])).values()];
}

/**
 * The request without one setting.
 *
 * @param path Of the member; behind it, the name of a variable, a secret's variable, a label, a header or a volume's path in the
 * container.
 * @returns `undefined` where the request does not have it.
 */
export function removeSetting(request: CreateRequest, path: readonly string[]): CreateRequest | undefined {
  const [member = "", ...rest] = path;
  const present = (request as Readonly<Record<string, unknown>>)[member];
  if (present === undefined) return undefined;
  const left = rest.length === 0 ? undefined : removeBelow(member, present, rest);
  if (rest.length > 0 && left === undefined) return undefined;
  const { [member]: _removed, ...others } = request as Readonly<Record<string, unknown>>;
  return { ...others, ...(left !== undefined && !isEmptyValue(left) && { [member]: left }) } as CreateRequest;
}

/** @returns `undefined` where it has no such item. */
function removeBelow(member: string, value: unknown, [name = "", ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const left = value.filter((item) => nameItem(member, item) !== name);
    return left.length === value.length ? undefined : left;
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  const { [name]: removed, ...others } = value as Readonly<Record<string, unknown>>;
  if (rest.length === 0) return others;
  const left = removeBelow(name, removed, rest);
  return left === undefined ? undefined : { ...others, ...(!isEmptyValue(left) && { [name]: left }) };
}

function nameItem(member: string, item: unknown): string {
  if (typeof item === "object" && item !== null && "target" in item) return String(item.target);
  const text = String(item);
  return member === "volumes" ? readMountTarget(text) : member === "env_vars" ? readVariable(text) : text;
}

function isEmptyValue(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
