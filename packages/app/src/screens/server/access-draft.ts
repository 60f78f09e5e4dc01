/** The content of the form about access, and the request that it means. */
import type { CreateRequest } from "../pasted/source.ts";

export interface AccessDraft {
  readonly issuer: string;
  readonly audience: string;
  /** A path, or JSON. */
  readonly policies: string;
  readonly isAudited: boolean;
}

export function toAccessDraft(request: CreateRequest): AccessDraft {
  return {
    issuer: request.oidc?.issuer ?? "",
    audience: request.oidc?.audience ?? "",
    policies: request.authz_config ?? "",
    isAudited: request.enable_audit === true || (request.audit_config ?? "") !== "",
  };
}

/** @returns The request with what the form says; members that it does not show stay. */
export function toAccessRequest(request: CreateRequest, draft: AccessDraft): CreateRequest {
  const { oidc = {}, authz_config: _policies, enable_audit: _isAudited, audit_config: audit, ...rest } = request;
  const { issuer: _issuer, audience: _audience, ...others } = oidc;
  const kept = {
    ...others,
    ...(draft.issuer.trim() !== "" && { issuer: draft.issuer.trim() }),
    ...(draft.audience.trim() !== "" && { audience: draft.audience.trim() }),
  };
  return {
    ...rest,
    ...(Object.keys(kept).length > 0 && { oidc: kept }),
    ...(draft.policies.trim() !== "" && { authz_config: draft.policies.trim() }),
    ...(draft.isAudited && (audit === undefined || audit === "" ? { enable_audit: true } : { audit_config: audit })),
  };
}
