/** Who may use a workload, as callers of the API ask for it. Source: api-behaviour 2.2.1 and 3. */
import type { AccessConfig, AccessRequest, OidcConfig, TelemetryConfig } from "@toolhive/core";
import { type Static, Type } from "typebox";

const OidcOptionsSchema = Type.Object(
  {
    issuer: Type.Optional(
      Type.String({
        description: "Issuer of the tokens, exactly as in their `iss`.",
        examples: ["https://login.example.com"],
      }),
    ),
    audience: Type.Optional(
      Type.String({ description: "What has to be in the tokens' `aud`. Without it, any audience is accepted." }),
    ),
    jwks_url: Type.Optional(
      Type.String({ description: "Address of the issuer's keys. Default: what its discovery document says." }),
    ),
    client_id: Type.Optional(
      Type.String({ description: "Client id at the issuer, used when it is asked about opaque tokens." }),
    ),
    allow_opaque_tokens: Type.Optional(
      Type.Boolean({ description: "Accept tokens that are no JWTs too; the issuer is asked about each of them." }),
    ),
  },
  { $id: "OidcOptions", description: "When one of these is set, the proxy asks its clients for a token." },
);

const TelemetrySchema = Type.Object(
  {
    endpoint: Type.Optional(
      Type.String({
        description: "Receiver of traces and metrics over OTLP/HTTP, `host:port` or an address.",
        examples: ["https://collector.example.com:4318"],
      }),
    ),
    service_name: Type.Optional(Type.String({ default: "toolhive-mcp-proxy", description: "Name of the service." })),
    sampling_rate: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, default: 0.1, description: "Share of calls that are traced." }),
    ),
    headers: Type.Optional(Type.Array(Type.String(), { description: "Headers for the receiver, each as NAME=VALUE." })),
    insecure: Type.Optional(
      Type.Boolean({
        description:
          "Plain http for an endpoint that is given without a scheme. Default: the settings', else for one on this machine only.",
      }),
    ),
    prometheus_path: Type.Optional(Type.Boolean({ description: "Serve `/metrics` on the port of the proxy." })),
    env_vars: Type.Optional(
      Type.Array(Type.String(), {
        description: "Names of variables of this machine whose values are put on traces.",
      }),
    ),
  },
  { $id: "TelemetryOptions", description: "What is measured about calls, and where it goes." },
);

/** Members of the create request. */
export const ACCESS_PROPERTIES = {
  oidc: Type.Optional(OidcOptionsSchema),
  thv_ca_bundle: Type.Optional(
    Type.String({
      description: "Absolute path of a PEM file to trust, besides the usual, when the issuer is reached.",
    }),
  ),
  jwks_auth_token_file: Type.Optional(
    Type.String({ description: "Absolute path of a file with the bearer token that the issuer asks for." }),
  ),
  jwks_allow_private_ip: Type.Optional(
    Type.Boolean({ description: "Allow an issuer on this machine or in a private network." }),
  ),
  authz_config: Type.Optional(
    Type.String({
      description:
        "Absolute path of a file with Cedar policies, JSON or YAML, on the machine of the API; or its JSON itself.",
      examples: ["/etc/toolhive/weather-policies.yaml"],
    }),
  ),
  audit_config: Type.Optional(
    Type.String({
      description: "Absolute path of a JSON file that says what is written down about calls; or its JSON itself.",
      examples: ["/etc/toolhive/audit.json"],
    }),
  ),
  enable_audit: Type.Optional(
    Type.Boolean({ description: "Write calls down with the defaults, where no audit_config is given." }),
  ),
  telemetry: Type.Optional(TelemetrySchema),
} as const;

const AccessBodySchema = Type.Object(ACCESS_PROPERTIES);

type AccessBody = Static<typeof AccessBodySchema>;

export function accessRequest(body: AccessBody): AccessRequest {
  const { oidc } = body;
  return {
    oidc: oidc && {
      issuer: oidc.issuer,
      audience: oidc.audience,
      jwksUrl: oidc.jwks_url,
      clientId: oidc.client_id,
      allowOpaqueTokens: oidc.allow_opaque_tokens,
    },
    caBundle: body.thv_ca_bundle,
    jwksAuthTokenFile: body.jwks_auth_token_file,
    jwksAllowPrivateIp: body.jwks_allow_private_ip,
    authzConfig: body.authz_config,
    auditConfig: body.audit_config,
    enableAudit: body.enable_audit,
    telemetry: body.telemetry && {
      endpoint: body.telemetry.endpoint,
      serviceName: body.telemetry.service_name,
      samplingRate: body.telemetry.sampling_rate,
      headers: body.telemetry.headers,
      insecure: body.telemetry.insecure,
      prometheusPath: body.telemetry.prometheus_path,
      envVars: body.telemetry.env_vars,
    },
  };
}

/** The same again, from a run configuration. */
export function accessBody({ oidc_config, authz_config, audit_config, telemetry_config }: AccessConfig): AccessBody {
  return {
    ...(oidc_config && oidcBody(oidc_config)),
    // Not its path: a file of that name may say something else by then, or be on another machine.
    ...(authz_config && { authz_config: JSON.stringify(authz_config) }),
    ...(audit_config && { audit_config: JSON.stringify(audit_config) }),
    ...(telemetry_config && { telemetry: telemetryBody(telemetry_config) }),
  };
}

/** Without the headers: they may hold a key of the receiver, and the file is meant to be shown. */
function telemetryBody(config: TelemetryConfig): NonNullable<AccessBody["telemetry"]> {
  const { Endpoint, ServiceName, SamplingRate, EnablePrometheusMetricsPath, EnvironmentVariables } = config;
  return {
    ...(Endpoint !== undefined && { endpoint: Endpoint }),
    ...(ServiceName !== undefined && { service_name: ServiceName }),
    ...(SamplingRate !== undefined && { sampling_rate: SamplingRate }),
    ...(EnablePrometheusMetricsPath !== undefined && { prometheus_path: EnablePrometheusMetricsPath }),
    ...(EnvironmentVariables !== undefined && { env_vars: EnvironmentVariables }),
  };
}

function oidcBody(oidc: OidcConfig): AccessBody {
  const { Issuer, Audience, JWKSURL, ClientID, AllowOpaqueTokens, CACertPath, AuthTokenFile, AllowPrivateIP } = oidc;
  return {
    oidc: {
      ...(Issuer !== undefined && { issuer: Issuer }),
      ...(Audience !== undefined && { audience: Audience }),
      ...(JWKSURL !== undefined && { jwks_url: JWKSURL }),
      ...(ClientID !== undefined && { client_id: ClientID }),
      ...(AllowOpaqueTokens !== undefined && { allow_opaque_tokens: AllowOpaqueTokens }),
    },
    ...(CACertPath !== undefined && { thv_ca_bundle: CACertPath }),
    ...(AuthTokenFile !== undefined && { jwks_auth_token_file: AuthTokenFile }),
    ...(AllowPrivateIP !== undefined && { jwks_allow_private_ip: AllowPrivateIP }),
  };
}
