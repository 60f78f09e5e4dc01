/** What a server is run with besides its image and its name: for a new one, and for one that is changed. */
import { Field } from "../../parts/field.tsx";
import { t } from "../../words/messages.ts";
import type { Draft } from "./draft.ts";
import { SecretPairs, VariablePairs } from "./pairs.tsx";
import { DURATION_PATTERN } from "./sleep-time.ts";

const TRANSPORTS = ["stdio", "streamable-http", "sse"];

interface SettingsFieldsProps {
  readonly draft: Draft;
  readonly change: (next: Partial<Draft>) => void;
}

export function SettingsFields({ draft, change }: SettingsFieldsProps) {
  return (
    <>
      <Field label={t("add.transport")}>
        {(control) => (
          <select {...control} value={draft.transport} onChange={(event) => change({ transport: event.target.value })}>
            <option value="">{t("add.transportAuto")}</option>
            {TRANSPORTS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
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
      <Field label={t("add.arguments")} hint={t("add.argumentsHint")}>
        {(control) => (
          <textarea
            {...control}
            rows={2}
            value={draft.args}
            onChange={(event) => change({ args: event.target.value })}
          />
        )}
      </Field>
      <VariablePairs pairs={draft.variables} onChange={(variables) => change({ variables })} />
      <SecretPairs pairs={draft.secrets} onChange={(secrets) => change({ secrets })} />
      <Field label={t("add.folders")} hint={t("add.foldersHint")}>
        {(control) => (
          <textarea
            {...control}
            rows={2}
            value={draft.volumes}
            onChange={(event) => change({ volumes: event.target.value })}
          />
        )}
      </Field>
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
              <Field label={t("add.hosts")} hint={t("add.hostsHint")}>
                {(control) => (
                  <textarea
                    {...control}
                    rows={3}
                    value={draft.hosts}
                    onChange={(event) => change({ hosts: event.target.value })}
                  />
                )}
              </Field>
            )}
            <Field label={t("add.ports")} hint={t("add.portsHint")}>
              {(control) => (
                <input {...control} value={draft.ports} onChange={(event) => change({ ports: event.target.value })} />
              )}
            </Field>
          </>
        )}
      </fieldset>
    </>
  );
}
