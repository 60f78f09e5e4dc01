/** Turns what a caller asks for into the access part of a run configuration. */
import { isAbsolute } from "node:path";
import { ThvError } from "../support/errors.ts";
import type { AccessConfig, OidcConfig } from "./access-config.ts";
import { readAuditConfig } from "./audit-config.ts";
import { readAuthzConfig } from "./authz-config.ts";
import { resolveTelemetry, type TelemetryDefaults, type TelemetryRequest } from "./telemetry-config.ts";

/** Members that are empty count as absent. */
export interface OidcRequest {
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  readonly jwksUrl?: string | undefined;
  readonly clientId?: string | undefined;
  readonly allowOpaqueTokens?: boolean | undefined;
}

export interface AccessRequest {
  /** Asks clients for a token when any of its members is set. */
  readonly oidc?: OidcRequest | undefined;
  /** Absolute path of a PEM file. */
  readonly caBundle?: string | undefined;
  /** Absolute path of a file with a bearer token for the issuer. */
  readonly jwksAuthTokenFile?: string | undefined;
  readonly jwksAllowPrivateIp?: boolean | undefined;
  /** Absolute path of an authorisation file, or its JSON. */
  readonly authzConfig?: string | undefined;
  /** Absolute path of an audit file, or its JSON. */
  readonly auditConfig?: string | undefined;
  /** Writes calls down with the defaults, where no audit file is given. */
  readonly enableAudit?: boolean | undefined;
  readonly telemetry?: TelemetryRequest | undefined;
}

/** @throws {ThvError} `INVALID_ARGUMENT` with every problem that shows without asking anyone. */
export async function resolveAccess(
  request: AccessRequest,
  telemetryDefaults?: TelemetryDefaults,
): Promise<AccessConfig> {
  const problems: string[] = [];
  const oidc = oidcConfigOf(request, problems);
  const { authzConfig, auditConfig, enableAudit } = request;
  checkFile("the authorisation file", authzConfig, problems);
  checkFile("the audit file", auditConfig, problems);
  if (problems.length > 0) throw new ThvError("INVALID_ARGUMENT", problems.join("; "));
  const telemetry = resolveTelemetry(request.telemetry ?? {}, telemetryDefaults);
  return {
    ...(oidc && { oidc_config: oidc }),
    ...(authzConfig && { authz_config: await readAuthzConfig(authzConfig) }),
    ...(authzConfig && isAbsolute(authzConfig) && { authz_config_path: authzConfig }),
    ...(auditConfig && { audit_config: await readAuditConfig(auditConfig) }),
    ...(auditConfig && isAbsolute(auditConfig) && { audit_config_path: auditConfig }),
    ...(!auditConfig && enableAudit && { audit_config: {} }),
    ...(telemetry && { telemetry_config: telemetry }),
  };
}

/** A setting that is a path, or the JSON itself. */
function checkFile(what: string, text: string | undefined, problems: string[]): void {
  if (!text || isAbsolute(text) || text.trimStart().startsWith("{")) return;
  problems.push(`${what} "${text.slice(0, 100)}" is not an absolute path`);
}

function oidcConfigOf(request: AccessRequest, problems: string[]): OidcConfig | undefined {
  const { issuer, audience, jwksUrl, clientId, allowOpaqueTokens } = request.oidc ?? {};
  const { caBundle, jwksAuthTokenFile, jwksAllowPrivateIp } = request;
  for (const [what, path] of [
    ["the CA bundle", caBundle],
    ["the token file", jwksAuthTokenFile],
  ] as const) {
    if (path && !isAbsolute(path)) problems.push(`${what} "${path}" is not an absolute path`);
  }
  if (!issuer && !audience && !jwksUrl && !clientId && !allowOpaqueTokens) return undefined;
  if (!issuer && !jwksUrl) problems.push("oidc needs issuer or jwks_url, and has neither");
  return {
    ...(issuer && { Issuer: issuer }),
    ...(audience && { Audience: audience }),
    ...(jwksUrl && { JWKSURL: jwksUrl }),
    ...(clientId && { ClientID: clientId }),
    ...(allowOpaqueTokens && { AllowOpaqueTokens: true }),
    ...(caBundle && { CACertPath: caBundle }),
    ...(jwksAuthTokenFile && { AuthTokenFile: jwksAuthTokenFile }),
    ...(jwksAllowPrivateIp && { AllowPrivateIP: true }),
  };
}
