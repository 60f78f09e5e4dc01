/** The part of a create request that says who may use the server, from the flags of `thv run`. */
import type { RunInput } from "./definition.ts";

export function readAccess(input: RunInput) {
  const oidc = withoutAbsent({
    issuer: input.oidcIssuer || undefined,
    audience: input.oidcAudience || undefined,
    jwks_url: input.oidcJwksUrl || undefined,
    client_id: input.oidcClientId || undefined,
    allow_opaque_tokens: input.oidcSkipOpaqueTokenValidation || undefined,
  });
  const orAbsent = (values: readonly string[]) => (values.length > 0 ? [...values] : undefined);
  const telemetry = withoutAbsent({
    endpoint: input.otelEndpoint || undefined,
    service_name: input.otelServiceName || undefined,
    sampling_rate: input.otelSamplingRate,
    headers: orAbsent(input.otelHeaders),
    insecure: input.otelInsecure || undefined,
    prometheus_path: input.otelEnablePrometheusMetricsPath || undefined,
    env_vars: orAbsent(input.otelEnvVars),
  });
  return {
    ...(Object.keys(oidc).length > 0 && { oidc }),
    ...(Object.keys(telemetry).length > 0 && { telemetry }),
    ...withoutAbsent({
      thv_ca_bundle: input.thvCaBundle || undefined,
      jwks_auth_token_file: input.jwksAuthTokenFile || undefined,
      authz_config: input.authzConfig || undefined,
      audit_config: input.auditConfig || undefined,
      enable_audit: input.enableAudit || undefined,
      jwks_allow_private_ip: input.jwksAllowPrivateIp || undefined,
    }),
  };
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutAbsent<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}
