/** How a server that runs elsewhere is reached: for a new one, and for one that is changed. */
import { Field } from "../../parts/field.tsx";
import { Segments } from "../../parts/segments.tsx";
import { t } from "../../words/messages.ts";
import type { Draft } from "./draft.ts";
import type { FieldProblems } from "./field-problems.ts";
import { HeaderPairs, SecretChoice, SecretHeaderPairs } from "./pairs.tsx";
import { type RemoteDraft, SIGN_IN_WAYS } from "./remote-draft.ts";

const TRANSPORTS = ["streamable-http", "sse"];

interface RemoteFieldsProps {
  readonly draft: Draft;
  readonly problems: FieldProblems["fields"];
  /** Whether the address begins with `http://`, so that it has to be allowed unless it is of this machine. */
  readonly isInClear: boolean;
  readonly change: (next: Partial<Draft>) => void;
}

export function RemoteFields({ draft, problems, isInClear, change }: RemoteFieldsProps) {
  const { remote } = draft;
  const set = (next: Partial<RemoteDraft>) => change({ remote: { ...remote, ...next } });
  return (
    <>
      <Field label={t("add.transport")} error={problems.transport}>
        {(control) => (
          <select {...control} value={draft.transport} onChange={(event) => change({ transport: event.target.value })}>
            <option value="">{t("remote.transportAuto")}</option>
            {TRANSPORTS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
      {isInClear && (
        <div>
          <label className="check">
            <input
              type="checkbox"
              checked={remote.isHttpAllowed}
              onChange={(event) => set({ isHttpAllowed: event.target.checked })}
            />
            {t("remote.allowHttp")}
          </label>
          <p className="field__hint">{t("remote.allowHttpHint")}</p>
        </div>
      )}
      <fieldset className="group">
        <legend>{t("remote.signIn")}</legend>
        <Segments
          label={t("remote.signIn")}
          value={remote.way}
          options={SIGN_IN_WAYS.map((value) => ({ value, label: t(`remote.way.${value}`) }))}
          onChange={(way) => set({ way })}
        />
        <p className="field__hint">{t(`remote.wayHint.${remote.way}`)}</p>
        {problems.signIn !== undefined && (
          <p className="field__error" role="alert">
            {problems.signIn}
          </p>
        )}
        {remote.way === "client" && (
          <>
            <Field label={t("remote.clientId")}>
              {(control) => (
                <input
                  {...control}
                  required
                  autoComplete="off"
                  value={remote.clientId}
                  onChange={(event) => set({ clientId: event.target.value })}
                />
              )}
            </Field>
            <Field label={t("remote.clientSecret")} hint={t("remote.clientSecretHint")}>
              {(control) => (
                <SecretChoice
                  control={control}
                  label={t("remote.clientSecret")}
                  variable="CLIENT_SECRET"
                  value={remote.clientSecret}
                  onChange={(clientSecret) => set({ clientSecret })}
                />
              )}
            </Field>
          </>
        )}
        {remote.way === "bearer" ? (
          <Field label={t("remote.bearer")}>
            {(control) => (
              <SecretChoice
                control={control}
                label={t("remote.bearer")}
                variable="BEARER_TOKEN"
                value={remote.bearerToken}
                isRequired
                onChange={(bearerToken) => set({ bearerToken })}
              />
            )}
          </Field>
        ) : (
          <>
            <Field label={t("access.issuer")} hint={t("remote.issuerHint")}>
              {(control) => (
                <input
                  {...control}
                  type="url"
                  value={remote.issuer}
                  onChange={(event) => set({ issuer: event.target.value })}
                />
              )}
            </Field>
            <Field label={t("remote.scopes")} hint={t("remote.scopesHint")}>
              {(control) => (
                <input {...control} value={remote.scopes} onChange={(event) => set({ scopes: event.target.value })} />
              )}
            </Field>
          </>
        )}
      </fieldset>
      {problems.headers !== undefined && (
        <p className="field__error" role="alert">
          {problems.headers}
        </p>
      )}
      <HeaderPairs pairs={remote.headers} onChange={(headers) => set({ headers })} />
      <SecretHeaderPairs pairs={remote.secretHeaders} onChange={(secretHeaders) => set({ secretHeaders })} />
    </>
  );
}
