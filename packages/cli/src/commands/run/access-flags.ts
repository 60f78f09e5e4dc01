/** The part of a create request that says who may use the server, from the flags of `thv run`. */
import { resolve } from "node:path";
import type { ParsedInput } from "../../parse.ts";

export function readAccess(input: ParsedInput) {
  const text = (name: string) => input.string(name) || undefined;
  /** A file is given relative to here; the supervisor is somewhere else. */
  const file = (name: string) => {
    const path = text(name);
    return path === undefined ? undefined : resolve(path);
  };
  const oidc = withoutAbsent({
    issuer: text("oidc-issuer"),
    audience: text("oidc-audience"),
    jwks_url: text("oidc-jwks-url"),
    client_id: text("oidc-client-id"),
    allow_opaque_tokens: input.bool("oidc-skip-opaque-token-validation") || undefined,
  });
  return {
    ...(Object.keys(oidc).length > 0 && { oidc }),
    ...withoutAbsent({
      thv_ca_bundle: file("thv-ca-bundle"),
      jwks_auth_token_file: file("jwks-auth-token-file"),
      authz_config: file("authz-config"),
      jwks_allow_private_ip: input.bool("jwks-allow-private-ip") || undefined,
    }),
  };
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutAbsent<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}
