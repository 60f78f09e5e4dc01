/** Fills in a create request from its registry entry. Precedence: the caller, the registry, the defaults. */

import type {
  EnvVarDeclaration,
  HeaderDeclaration,
  OAuthHints,
  RegistryRemoteServer,
  RegistryServer,
} from "../registry/registry-schema.ts";
import { ThvError } from "../support/errors.ts";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import { generateWorkloadName } from "../workload/workload-name.ts";

/** What it would be called here: `server` for `io.github.owner/server`. */
function deriveWorkloadName(name: string): string {
  return name.includes("/") ? generateWorkloadName(name.slice(name.lastIndexOf("/") + 1).toLowerCase()) : name;
}

/**
 * For a server that runs elsewhere, takes its address, its way to sign in and its headers with a default from the registry.
 *
 * @throws {ThvError} `INVALID_ARGUMENT` naming every missing header that the server needs, and wrong choices.
 */
export function applyRemoteDefaults(request: CreateRequest, server: RegistryRemoteServer): CreateRequest {
  const { add_plaintext_headers: plain = {}, add_headers_from_secret: secret = {} } = request.header_forward ?? {};
  const given = new Map(
    [...Object.entries(plain), ...Object.keys(secret).map((name) => [name, undefined] as const)].map(
      ([name, value]) => [name.toLowerCase(), value] as const,
    ),
  );
  const declared = server.headers ?? [];
  const missing = declared.filter(
    ({ name, required, default: value }) => required && value === undefined && !given.has(name.toLowerCase()),
  );
  if (missing.length > 0) throw createMissingHeadersError(server.name, missing);
  for (const { name, choices } of declared) {
    const value = given.get(name.toLowerCase());
    if (choices !== undefined && value !== undefined && !choices.includes(value))
      throw createChoiceError(server.name, name, value, choices);
  }
  const defaults = declared.flatMap(({ name, default: value }) =>
    value !== undefined && !given.has(name.toLowerCase()) ? [[name, value] as const] : [],
  );
  const headers = { ...Object.fromEntries(defaults), ...plain };
  return {
    ...request,
    name: request.name || deriveWorkloadName(server.name),
    image: server.url,
    transport: request.transport || server.transport,
    ...((Object.keys(headers).length > 0 || request.header_forward) && {
      header_forward: { ...request.header_forward, add_plaintext_headers: headers },
    }),
    ...(server.oauth_config && { oauth_config: { ...pickSignIn(server.oauth_config), ...request.oauth_config } }),
  };
}

/** What a workload keeps of it. PKCE is always used. */
function pickSignIn({ use_pkce: _always, ...hints }: OAuthHints) {
  const { issuer, authorize_url, token_url, client_id, scopes, oauth_params, callback_port, resource } = hints;
  return structuredClone({
    ...(issuer !== undefined && { issuer }),
    ...(authorize_url !== undefined && { authorize_url }),
    ...(token_url !== undefined && { token_url }),
    ...(client_id !== undefined && { client_id }),
    ...(scopes !== undefined && { scopes }),
    ...(oauth_params !== undefined && { oauth_params }),
    ...(callback_port !== undefined && { callback_port }),
    ...(resource !== undefined && { resource }),
  });
}

function createMissingHeadersError(server: string, missing: readonly HeaderDeclaration[]): ThvError {
  const described = missing.map(({ name, description }) => `${name} (${description.replace(/\.$/, "")})`);
  const flags = missing.map(({ name, secret }) =>
    secret ? `--remote-forward-headers-secret '${name}: SECRET'` : `--remote-forward-headers '${name}: VALUE'`,
  );
  return new ThvError("INVALID_ARGUMENT", `"${server}" does not answer without the header ${described.join(" and ")}`, {
    hint: `Give ${missing.length === 1 ? "it" : "them"}: thv run ${flags.join(" ")} ${server}`,
  });
}

/**
 * Adds the entry's values to the request. Copies them, so that later changes of the workload do not reach the registry.
 *
 * @throws {ThvError} `INVALID_ARGUMENT` naming every variable that the server cannot start without.
 */
export function applyRegistryDefaults(request: CreateRequest, server: RegistryServer): CreateRequest {
  const declared = server.env_vars ?? [];
  const given = new Set([
    ...(request.env_vars ?? []).map(readVariableName),
    ...(request.secrets ?? []).map(({ target }) => target),
  ]);
  const absent = declared.filter(({ name }) => !given.has(name));
  const missing = absent.filter(({ required }) => required);
  if (missing.length > 0) throw createMissingVariablesError(server.name, missing);
  assertChoices(server, request.env_vars ?? []);
  if (server.needed_args?.length && !request.cmd_arguments?.length) throw createMissingArgumentsError(server);
  const defaults = absent.flatMap(({ name, default: value }) => (value ? [`${name}=${value}`] : []));
  const { permissions, provenance, target_port } = server;
  return {
    ...request,
    name: request.name || deriveWorkloadName(server.name),
    image: server.image,
    ...(!request.base_image && server.base_image !== undefined && { base_image: server.base_image }),
    ...(server.with && { with: [...server.with, ...(request.with ?? [])] }),
    transport: request.transport || server.transport,
    ...(!request.target_port && target_port !== undefined && { target_port }),
    cmd_arguments: [...(server.args ?? []), ...(request.cmd_arguments ?? [])],
    env_vars: [...(request.env_vars ?? []), ...defaults],
    ...(!request.permission_profile && permissions && { permission_profile: structuredClone(permissions) }),
    ...(!request.provenance && provenance && { provenance: structuredClone(provenance) }),
  };
}

function readVariableName(item: string): string {
  return item.split("=", 1)[0] ?? "";
}

function createMissingVariablesError(server: string, missing: readonly EnvVarDeclaration[]): ThvError {
  const described = missing.map(({ name, description }) => `${name} (${description.replace(/\.$/, "")})`);
  const flags = missing.map(({ name, secret }) => (secret ? `--secret NAME,target=${name}` : `--env ${name}=…`));
  return new ThvError("INVALID_ARGUMENT", `"${server}" cannot start without ${described.join(" and ")}`, {
    hint: `Give ${missing.length === 1 ? "it" : "them"}: thv run ${flags.join(" ")} ${server}`,
  });
}

/** @throws {ThvError} `INVALID_ARGUMENT` for a variable with a value that is not among its choices. */
function assertChoices({ name: server, env_vars = [] }: RegistryServer, given: readonly string[]): void {
  for (const { name, choices } of env_vars) {
    const item = given.find((each) => readVariableName(each) === name);
    const value = item?.slice(name.length + 1);
    if (choices === undefined || value === undefined || choices.includes(value)) continue;
    throw createChoiceError(server, name, value, choices);
  }
}

function createChoiceError(server: string, name: string, value: string, choices: readonly string[]): ThvError {
  return new ThvError("INVALID_ARGUMENT", `${name} is "${value}", which "${server}" does not know.`, {
    hint: `Choose one of: ${choices.join(", ")}`,
  });
}

function createMissingArgumentsError({ name, needed_args = [] }: RegistryServer): ThvError {
  const described = needed_args.map((each) => (each.description ? `${each.name} (${each.description})` : each.name));
  return new ThvError("INVALID_ARGUMENT", `"${name}" cannot start without arguments: ${described.join(", ")}`, {
    hint: `Give them behind two dashes: thv run ${name} -- ${needed_args.map(formatPlaceholder).join(" ")}`,
  });
}

/** The form of an argument in a command: `--root VALUE`, `DIRECTORY`. */
export function formatPlaceholder({ name }: { readonly name: string }): string {
  return name.startsWith("-") ? `${name} VALUE` : name.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
}
