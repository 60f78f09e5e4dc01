import { useState } from "react";
import { AreaField, CheckBox, TextField } from "../../parts/field.tsx";
import type { Workload } from "../../store/live-store.ts";
import { nameMember } from "../../words/member-labels.ts";
import { t } from "../../words/messages.ts";
import { PolicyTrial } from "../decisions/policy-trial.tsx";
import { RecentCalls } from "../decisions/recent-calls.tsx";
import type { CreateRequest } from "../pasted/source.ts";
import { type AccessDraft, toAccessDraft, toAccessRequest } from "./access-draft.ts";
import type { Details } from "./details.ts";
import { EditForm } from "./edit-form.tsx";

interface AccessProps {
  readonly workload: Workload;
  readonly request: CreateRequest;
  readonly plan: Details["plan"];
}

export function Access({ workload, request, plan }: AccessProps) {
  const [draft, setDraft] = useState(() => toAccessDraft(request));
  const change = (next: Partial<AccessDraft>) => setDraft((before) => ({ ...before, ...next }));
  const issuer = plan?.tokens_from;
  return (
    <>
      <h2>{t("access.who")}</h2>
      <p className="lead">{issuer === undefined ? t("access.anyone") : t("access.tokens", { issuer })}</p>
      <EditForm workload={workload} before={request} after={toAccessRequest(request, draft)}>
        <TextField
          label={nameMember("oidc.issuer")}
          hint={t("access.issuerHint")}
          type="url"
          value={draft.issuer}
          onChange={(issuer) => change({ issuer })}
        />
        <TextField
          label={nameMember("oidc.audience")}
          hint={t("access.audienceHint")}
          value={draft.audience}
          onChange={(audience) => change({ audience })}
        />
        <AreaField
          label={nameMember("authz_config")}
          hint={t("access.policiesHint")}
          rows={draft.policies.length > 60 ? 8 : 2}
          spellCheck={false}
          value={draft.policies}
          onChange={(policies) => change({ policies })}
        />
        <CheckBox
          label={nameMember("enable_audit")}
          checked={draft.isAudited}
          onChange={(isAudited) => change({ isAudited })}
        />
        <p className="field__hint">{t("access.auditHint")}</p>
      </EditForm>
      <div className="panels">
        <RecentCalls name={workload.name} />
        {request.authz_config !== undefined && <PolicyTrial name={workload.name} />}
      </div>
    </>
  );
}
