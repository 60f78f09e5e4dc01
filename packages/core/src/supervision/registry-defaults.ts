/** Fills in a create request from its registry entry. Precedence: the caller, the registry, the defaults. */

import { type EnvVarDeclaration, type RegistryServer, SERVER_NAME_PATTERN } from "../registry/registry-schema.ts";
import { ThvError } from "../support/errors.ts";
import type { CreateRequest } from "../workload/create-request-schema.ts";

const SERVER_NAME = new RegExp(SERVER_NAME_PATTERN);

/** Whether the text could be the name of a server; an image reference with a path, a tag or a digest cannot. */
export function isServerName(text: string): boolean {
  return SERVER_NAME.test(text);
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
  const defaults = absent.flatMap(({ name, default: value }) => (value ? [`${name}=${value}`] : []));
  const { permissions, provenance, target_port } = server;
  return {
    ...request,
    name: request.name || server.name,
    image: server.image,
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
