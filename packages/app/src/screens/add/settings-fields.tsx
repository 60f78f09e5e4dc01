/** What a server is run with besides its image and its name: for a new one, and for one that is changed. */
import { Field } from "../../parts/field.tsx";
import { t } from "../../words/messages.ts";
import type { Draft } from "./draft.ts";
import { SecretPairs, VariablePairs } from "./pairs.tsx";
import { DURATION_PATTERN } from "./sleep-time.ts";
import { TransportField } from "./transport-field.tsx";

const TRANSPORTS = ["stdio", "streamable-http", "sse"];

interface SettingsFieldsProps {
  readonly draft: Draft;
  readonly change: (next: Partial<Draft>) => void;
}

export function SettingsFields({ draft, change }: SettingsFieldsProps) {
  return (
    <>
      <TransportField draft={draft} transports={TRANSPORTS} automatic={t("add.transportAuto")} change={change} />
      <Field label={t("add.port")}>
        {(control) => (
          <input
            {...control}
            type="number"
            min={0}
            max={65_535}
            value={draft.targetPort}
            onChange={(event) => change({ targetPort: event.target.value })}
          />
        )}
      </Field>
      <LinesField
        label={t("add.arguments")}
        hint={t("add.argumentsHint")}
        rows={2}
        value={draft.args}
        onChange={(args) => change({ args })}
      />
      <VariablePairs pairs={draft.variables} onChange={(variables) => change({ variables })} />
      <SecretPairs pairs={draft.secrets} onChange={(secrets) => change({ secrets })} />
      <LinesField
        label={t("add.folders")}
        hint={t("add.foldersHint")}
        rows={2}
        value={draft.volumes}
        onChange={(volumes) => change({ volumes })}
      />
      <Field label={t("add.sleep")} hint={t("add.sleepHint")}>
        {(control) => (
          <input
            {...control}
            pattern={DURATION_PATTERN}
            title={t("add.sleepForm")}
            autoComplete="off"
            value={draft.sleepAfter}
            onChange={(event) => change({ sleepAfter: event.target.value })}
          />
        )}
      </Field>
      <NetworkFields draft={draft} change={change} />
    </>
  );
}

/** Whether the server's network is limited, and to what. */
function NetworkFields({ draft, change }: SettingsFieldsProps) {
  return (
    <fieldset className="group">
      <legend>{t("add.network")}</legend>
      <label className="check">
        <input
          type="checkbox"
          checked={draft.isIsolated}
          onChange={(event) => change({ isIsolated: event.target.checked })}
        />
        {t("add.isolate")}
      </label>
      <p className="field__hint">{t("add.isolateHint")}</p>
      {draft.isIsolated && (
        <>
          <label className="check">
            <input
              type="checkbox"
              checked={draft.isEveryHost}
              onChange={(event) => change({ isEveryHost: event.target.checked })}
            />
            {t("add.everyHost")}
          </label>
          {!draft.isEveryHost && (
            <LinesField
              label={t("add.hosts")}
              hint={t("add.hostsHint")}
              rows={3}
              value={draft.hosts}
              onChange={(hosts) => change({ hosts })}
            />
          )}
          <Field label={t("add.ports")} hint={t("add.portsHint")}>
            {(control) => (
              <input {...control} value={draft.ports} onChange={(event) => change({ ports: event.target.value })} />
            )}
          </Field>
        </>
      )}
    </fieldset>
  );
}

interface LinesFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly rows: number;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field with one value on each line. */
function LinesField({ label, hint, rows, value, onChange }: LinesFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <textarea {...control} rows={rows} value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}
