/** How a server that runs elsewhere is reached: for a new one, and for one that is changed. */
import { CheckBox, Field, TextField } from "../../parts/field.tsx";
import { Segments } from "../../parts/segments.tsx";
import { t } from "../../words/messages.ts";
import type { Draft } from "./draft.ts";
import type { FieldProblems } from "./field-problems.ts";
import { HeaderPairs, SecretChoice, SecretHeaderPairs } from "./pairs.tsx";
import { type RemoteDraft, SIGN_IN_WAYS } from "./remote-draft.ts";
import { TransportField } from "./transport-field.tsx";

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
      <TransportField
        draft={draft}
        transports={TRANSPORTS}
        automatic={t("remote.transportAuto")}
        error={problems.transport}
        change={change}
      />
      {isInClear && (
        <div>
          <CheckBox
            label={t("remote.allowHttp")}
            checked={remote.isHttpAllowed}
            onChange={(isHttpAllowed) => set({ isHttpAllowed })}
          />
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
        <FieldError text={problems.signIn} />
        {remote.way === "client" && <ClientFields remote={remote} set={set} />}
        {remote.way === "bearer" ? (
          <BearerField remote={remote} set={set} />
        ) : (
          <AuthorizationFields remote={remote} set={set} />
        )}
      </fieldset>
      <FieldError text={problems.headers} />
      <HeaderPairs pairs={remote.headers} onChange={(headers) => set({ headers })} />
      <SecretHeaderPairs pairs={remote.secretHeaders} onChange={(secretHeaders) => set({ secretHeaders })} />
    </>
  );
}

/** What is wrong with several fields together. */
function FieldError({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p className="field__error" role="alert">
      {text}
    </p>
  );
}

interface SignInFieldsProps {
  readonly remote: RemoteDraft;
  readonly set: (next: Partial<RemoteDraft>) => void;
}

/** The client that the user registered at the authorization server. */
function ClientFields({ remote, set }: SignInFieldsProps) {
  return (
    <>
      <TextField
        label={t("remote.clientId")}
        required
        autoComplete="off"
        value={remote.clientId}
        onChange={(clientId) => set({ clientId })}
      />
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
  );
}

/** The token that the user has already. */
function BearerField({ remote, set }: SignInFieldsProps) {
  return (
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
  );
}

/** Where the user signs in, and what ToolHive asks for there. */
function AuthorizationFields({ remote, set }: SignInFieldsProps) {
  return (
    <>
      <TextField
        label={t("access.issuer")}
        hint={t("remote.issuerHint")}
        type="url"
        value={remote.issuer}
        onChange={(issuer) => set({ issuer })}
      />
      <TextField
        label={t("remote.scopes")}
        hint={t("remote.scopesHint")}
        value={remote.scopes}
        onChange={(scopes) => set({ scopes })}
      />
    </>
  );
}
