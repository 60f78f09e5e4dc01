/** The part of a create request that says who may use the server, from the flags of `thv run`. */
import { resolve } from "node:path";
import type { ParsedInput } from "../../command-line/parse.ts";

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
  const list = (name: string) => (input.strings(name).length > 0 ? [...input.strings(name)] : undefined);
  const telemetry = withoutAbsent({
    endpoint: text("otel-endpoint"),
    service_name: text("otel-service-name"),
    sampling_rate: input.float("otel-sampling-rate"),
    headers: list("otel-headers"),
    insecure: input.bool("otel-insecure") || undefined,
    prometheus_path: input.bool("otel-enable-prometheus-metrics-path") || undefined,
    env_vars: list("otel-env-vars"),
  });
  return {
    ...(Object.keys(oidc).length > 0 && { oidc }),
    ...(Object.keys(telemetry).length > 0 && { telemetry }),
    ...withoutAbsent({
      thv_ca_bundle: file("thv-ca-bundle"),
      jwks_auth_token_file: file("jwks-auth-token-file"),
      authz_config: file("authz-config"),
      audit_config: file("audit-config"),
      enable_audit: input.bool("enable-audit") || undefined,
      jwks_allow_private_ip: input.bool("jwks-allow-private-ip") || undefined,
    }),
  };
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutAbsent<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}
