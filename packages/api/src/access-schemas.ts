/** Who may use a workload, as callers of the API ask for it. Source: api-behaviour 2.2.1 and 3. */
import type { AccessConfig, AccessRequest, OidcConfig } from "@toolhive/core";
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
  };
}

/** The same again, from a run configuration. */
export function accessBody({ oidc_config, authz_config }: AccessConfig): AccessBody {
  return {
    ...(oidc_config && oidcBody(oidc_config)),
    // Not its path: a file of that name may say something else by then, or be on another machine.
    ...(authz_config && { authz_config: JSON.stringify(authz_config) }),
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
