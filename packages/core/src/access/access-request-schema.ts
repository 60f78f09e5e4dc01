/** Who may use a workload, as callers ask for it. Members that are empty count as absent. Source: api-behaviour 2.2.1 and 3. */
import * as Type from "typebox";

const OidcOptionsSchema = Type.Object(
  {
    issuer: Type.Optional(
      Type.String({
        description: "Issuer of the tokens, exactly as in their `iss`.",
        examples: ["https://login.example.com"],
      }),
    ),
    audience: Type.Optional(
      Type.String({
        description: "The audience that tokens must have in `aud`. Without it, any audience is accepted.",
      }),
    ),
    jwks_url: Type.Optional(
      Type.String({ description: "URL of the issuer's keys. Default: the URL in the issuer's discovery document." }),
    ),
    client_id: Type.Optional(
      Type.String({ description: "Client ID for the introspection of opaque tokens at the issuer." }),
    ),
    scopes: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        maxItems: 100,
        description: "Scopes that clients should request, in the metadata of the endpoint (RFC 9728).",
        examples: [["openid", "mcp"]],
      }),
    ),
    allow_opaque_tokens: Type.Optional(
      Type.Boolean({
        description: "Whether to accept opaque tokens as well; the issuer checks each of them (introspection).",
      }),
    ),
  },
  {
    $id: "OidcOptions",
    description: "Requirements for tokens. If one of these is set, the proxy requires a token from its clients.",
  },
);

const TelemetrySchema = Type.Object(
  {
    endpoint: Type.Optional(
      Type.String({
        description: "Receiver of traces and metrics over OTLP/HTTP: `host:port` or a URL.",
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
          "Whether to use plain HTTP for an endpoint without a scheme. Default: the one in the settings, else only for an endpoint on this machine.",
      }),
    ),
    prometheus_path: Type.Optional(Type.Boolean({ description: "Serve `/metrics` on the port of the proxy." })),
    env_vars: Type.Optional(
      Type.Array(Type.String(), {
        description: "Names of environment variables of this machine whose values are added to traces.",
      }),
    ),
  },
  { $id: "TelemetryOptions", description: "Metrics and traces of calls, and the receiver that gets them." },
);

/** Members of the create request. */
export const ACCESS_REQUEST_MEMBERS = {
  oidc: Type.Optional(OidcOptionsSchema),
  thv_ca_bundle: Type.Optional(
    Type.String({
      description: "Absolute path of a PEM file with additional certificates to trust for requests to the issuer.",
    }),
  ),
  jwks_auth_token_file: Type.Optional(
    Type.String({
      description: "Absolute path of a file with a bearer token for requests to the issuer's JWKS endpoint.",
    }),
  ),
  jwks_allow_private_ip: Type.Optional(
    Type.Boolean({ description: "Allow an issuer on this machine or in a private network." }),
  ),
  authz_config: Type.Optional(
    Type.String({
      description:
        "Absolute path of a file with Cedar policies, as JSON or YAML, on the machine of the API server; or the policies as JSON.",
      examples: ["/etc/toolhive/weather-policies.yaml"],
    }),
  ),
  audit_config: Type.Optional(
    Type.String({
      description: "Absolute path of a JSON file with the audit settings, or the settings as JSON.",
      examples: ["/etc/toolhive/audit.json"],
    }),
  ),
  enable_audit: Type.Optional(
    Type.Boolean({
      description: "Whether to write audit events with the default settings; `audit_config` overrides it.",
    }),
  ),
  telemetry: Type.Optional(TelemetrySchema),
} as const;

const AccessMembersSchema = Type.Object(ACCESS_REQUEST_MEMBERS);

/** The part of a create request that says who may use the workload. */
export type AccessMembers = Readonly<Type.Static<typeof AccessMembersSchema>>;
