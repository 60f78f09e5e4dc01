/** Names that the Secrets of a cluster have among the stored secrets of this machine. */
import { type JsonObject, REMOTE_KIND } from "../contract/index.ts";

/** One value of a Secret. */
export interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/** @returns The name of the stored secret. */
export type NameSecret = (secret: SecretKey) => string;

/**
 * A stored secret has the name of the key. Where several Secrets have a key of that name, their names come first: one value must
 * not stand for another.
 */
export function nameSecrets(servers: readonly JsonObject[]): NameSecret {
  const owners = new Map<string, Set<string>>();
  for (const { name, key } of servers.flatMap(listSecretKeys)) {
    owners.set(key, (owners.get(key) ?? new Set()).add(name));
  }
  return ({ name, key }) => ((owners.get(key)?.size ?? 0) > 1 ? `${name}-${key}` : key);
}

/** @param object As a stranger wrote it: nothing of it has been checked. */
function listSecretKeys({ kind, spec = {} }: JsonObject): SecretKey[] {
  const { secrets = [], headers = [], auth } = spec ?? {};
  const ofHeaders = toList(headers).map((header) => header?.secretKeyRef);
  const found =
    kind === REMOTE_KIND ? [...ofHeaders, auth?.bearerToken, auth?.clientCredentials?.clientSecret] : toList(secrets);
  return found.filter((each) => typeof each?.name === "string" && typeof each.key === "string");
}

function toList(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value : [];
}
