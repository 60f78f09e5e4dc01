/** Turns what a caller asks for into the access part of a run configuration. */
import { isAbsolute } from "node:path";
import { ThvError } from "../support/errors.ts";
import { type LocatedProblem, listSentences } from "../support/located-problem.ts";
import type { AccessConfig, OidcConfig } from "./access-config.ts";
import type { AccessMembers } from "./access-request-schema.ts";
import { readAuditConfig } from "./audit-config.ts";
import { readAuthzConfig } from "./authz-config.ts";
import { resolveTelemetry, type TelemetryDefaults } from "./telemetry-config.ts";

/** @throws {ThvError} `INVALID_ARGUMENT` with every problem that shows without asking anyone. */
export async function resolveAccess(
  request: AccessMembers,
  telemetryDefaults?: TelemetryDefaults,
): Promise<AccessConfig> {
  const problems: LocatedProblem[] = [];
  const oidc = readOidcConfig(request, problems);
  const { authz_config: authzConfig, audit_config: auditConfig, enable_audit: enableAudit } = request;
  checkFile("the authorisation file", "authz_config", authzConfig, problems);
  checkFile("the audit file", "audit_config", auditConfig, problems);
  if (problems.length > 0) throw new ThvError("INVALID_ARGUMENT", listSentences(problems).join("; "), { problems });
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
function checkFile(
  what: string,
  member: keyof AccessMembers,
  text: string | undefined,
  problems: LocatedProblem[],
): void {
  if (!text || isAbsolute(text) || text.trimStart().startsWith("{")) return;
  problems.push({ path: [member], sentence: `${what} "${text.slice(0, 100)}" is not an absolute path` });
}

function readOidcConfig(request: AccessMembers, problems: LocatedProblem[]): OidcConfig | undefined {
  const { issuer, audience, jwks_url, client_id, allow_opaque_tokens, scopes = [] } = request.oidc ?? {};
  const { thv_ca_bundle, jwks_auth_token_file, jwks_allow_private_ip } = request;
  for (const [what, member, path] of [
    ["the CA bundle", "thv_ca_bundle", thv_ca_bundle],
    ["the token file", "jwks_auth_token_file", jwks_auth_token_file],
  ] as const) {
    if (path && !isAbsolute(path))
      problems.push({ path: [member], sentence: `${what} "${path}" is not an absolute path` });
  }
  if (!issuer && !audience && !jwks_url && !client_id && !allow_opaque_tokens && scopes.length === 0) return undefined;
  if (!issuer && !jwks_url)
    problems.push({ path: ["oidc"], sentence: "oidc needs issuer or jwks_url, and has neither" });
  return {
    ...(issuer && { Issuer: issuer }),
    ...(audience && { Audience: audience }),
    ...(jwks_url && { JWKSURL: jwks_url }),
    ...(client_id && { ClientID: client_id }),
    ...(allow_opaque_tokens && { AllowOpaqueTokens: true }),
    ...(scopes.length > 0 && { Scopes: [...scopes] }),
    ...(thv_ca_bundle && { CACertPath: thv_ca_bundle }),
    ...(jwks_auth_token_file && { AuthTokenFile: jwks_auth_token_file }),
    ...(jwks_allow_private_ip && { AllowPrivateIP: true }),
  };
}
