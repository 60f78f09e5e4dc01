/**
 * Who may use a workload, as its run configuration keeps it. Member names are the reference's (api-behaviour 4.14), which
 * writes those of `oidc_config` with capitals.
 */
import * as Type from "typebox";
import { AuditConfigSchema } from "./audit-config.ts";
import { AuthzConfigSchema } from "./authz-config.ts";
import { TelemetryConfigSchema } from "./telemetry-config.ts";

export const OidcConfigSchema = Type.Object({
  Issuer: Type.Optional(Type.String()),
  Audience: Type.Optional(Type.String()),
  JWKSURL: Type.Optional(Type.String()),
  ClientID: Type.Optional(Type.String()),
  AllowOpaqueTokens: Type.Optional(Type.Boolean()),
  /** For clients, in the endpoint's metadata; tokens are not checked for them. */
  Scopes: Type.Optional(Type.Array(Type.String())),
  /** Absolute path of a PEM file with certificates to trust besides the usual ones. */
  CACertPath: Type.Optional(Type.String()),
  /** Absolute path of a file with a bearer token for requests to the issuer's JWKS endpoint. */
  AuthTokenFile: Type.Optional(Type.String()),
  AllowPrivateIP: Type.Optional(Type.Boolean()),
  /** Has to be the tokens' `sub`; with `*` at its end, has to be how it begins. */
  Subject: Type.Optional(Type.String({ minLength: 1 })),
  /** Where a cluster's API server says whether a token is still good; see `TokenReview`. */
  TokenReviewURL: Type.Optional(Type.String()),
});
export type OidcConfig = Readonly<Type.Static<typeof OidcConfigSchema>>;

/** The members of a run configuration for authentication, policies, audit and telemetry. */
export const ACCESS_MEMBERS = {
  oidc_config: Type.Optional(OidcConfigSchema),
  /** Copied from the file when the workload was created. */
  authz_config: Type.Optional(AuthzConfigSchema),
  /** Path of that file, for people; it is not read again. */
  authz_config_path: Type.Optional(Type.String()),
  audit_config: Type.Optional(AuditConfigSchema),
  audit_config_path: Type.Optional(Type.String()),
  telemetry_config: Type.Optional(TelemetryConfigSchema),
} as const;

const AccessConfigSchema = Type.Object(ACCESS_MEMBERS);
export type AccessConfig = Readonly<Type.Static<typeof AccessConfigSchema>>;

/**
 * @returns The access part of a larger configuration, or `undefined` when no authentication, policy, audit or telemetry
 * is configured.
 */
export function pickAccess(config: AccessConfig): AccessConfig | undefined {
  const names = Object.keys(ACCESS_MEMBERS) as (keyof AccessConfig)[];
  const present = names.filter((name) => config[name] !== undefined);
  return present.length === 0 ? undefined : Object.fromEntries(present.map((name) => [name, config[name]]));
}
