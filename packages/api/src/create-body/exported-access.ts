/** Who may use a workload, as the create request with the same meaning. */
import type { AccessConfig, AccessMembers, OidcConfig, TelemetryConfig } from "@toolhive/core";

export function accessBody({ oidc_config, authz_config, audit_config, telemetry_config }: AccessConfig): AccessMembers {
  return {
    ...(oidc_config && oidcBody(oidc_config)),
    // Not its path: a file of that name may say something else by then, or be on another machine.
    ...(authz_config && { authz_config: JSON.stringify(authz_config) }),
    ...(audit_config && { audit_config: JSON.stringify(audit_config) }),
    ...(telemetry_config && { telemetry: telemetryBody(telemetry_config) }),
  };
}

/** Without the headers: they may hold a key of the receiver, and the file is meant to be shown. */
function telemetryBody(config: TelemetryConfig): NonNullable<AccessMembers["telemetry"]> {
  const { Endpoint, ServiceName, SamplingRate, EnablePrometheusMetricsPath, EnvironmentVariables } = config;
  return {
    ...(Endpoint !== undefined && { endpoint: Endpoint }),
    ...(ServiceName !== undefined && { service_name: ServiceName }),
    ...(SamplingRate !== undefined && { sampling_rate: SamplingRate }),
    ...(EnablePrometheusMetricsPath !== undefined && { prometheus_path: EnablePrometheusMetricsPath }),
    ...(EnvironmentVariables !== undefined && { env_vars: EnvironmentVariables }),
  };
}

function oidcBody(oidc: OidcConfig): AccessMembers {
  const { Issuer, Audience, JWKSURL, ClientID, AllowOpaqueTokens, Scopes } = oidc;
  const { CACertPath, AuthTokenFile, AllowPrivateIP } = oidc;
  return {
    oidc: {
      ...(Issuer !== undefined && { issuer: Issuer }),
      ...(Audience !== undefined && { audience: Audience }),
      ...(JWKSURL !== undefined && { jwks_url: JWKSURL }),
      ...(ClientID !== undefined && { client_id: ClientID }),
      ...(AllowOpaqueTokens !== undefined && { allow_opaque_tokens: AllowOpaqueTokens }),
      ...(Scopes !== undefined && { scopes: Scopes }),
    },
    ...(CACertPath !== undefined && { thv_ca_bundle: CACertPath }),
    ...(AuthTokenFile !== undefined && { jwks_auth_token_file: AuthTokenFile }),
    ...(AllowPrivateIP !== undefined && { jwks_allow_private_ip: AllowPrivateIP }),
  };
}
