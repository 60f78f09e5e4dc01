/** What a server is run with besides its image and its name: for a new one, and for one that is changed. */
import { AreaField, CheckBox, TextField } from "../../parts/field.tsx";
import { nameMember } from "../../words/member-labels.ts";
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
      <TextField
        label={nameMember("target_port")}
        type="number"
        min={0}
        max={65_535}
        value={draft.targetPort}
        onChange={(targetPort) => change({ targetPort })}
      />
      <LinesField
        label={nameMember("cmd_arguments")}
        hint={t("add.argumentsHint")}
        rows={2}
        value={draft.args}
        onChange={(args) => change({ args })}
      />
      <VariablePairs pairs={draft.variables} onChange={(variables) => change({ variables })} />
      <SecretPairs pairs={draft.secrets} onChange={(secrets) => change({ secrets })} />
      <LinesField
        label={nameMember("volumes")}
        hint={t("add.foldersHint")}
        rows={2}
        value={draft.volumes}
        onChange={(volumes) => change({ volumes })}
      />
      <TextField
        label={nameMember("sleep_after_seconds")}
        hint={t("add.sleepHint")}
        pattern={DURATION_PATTERN}
        title={t("add.sleepForm")}
        autoComplete="off"
        value={draft.sleepAfter}
        onChange={(sleepAfter) => change({ sleepAfter })}
      />
      <NetworkFields draft={draft} change={change} />
    </>
  );
}

/** Whether the server's network is limited, and to what. */
function NetworkFields({ draft, change }: SettingsFieldsProps) {
  return (
    <fieldset className="group">
      <legend>{t("add.network")}</legend>
      <CheckBox label={t("add.isolate")} checked={draft.isIsolated} onChange={(isIsolated) => change({ isIsolated })} />
      <p className="field__hint">{t("add.isolateHint")}</p>
      {draft.isIsolated && (
        <>
          <CheckBox
            label={t("add.everyHost")}
            checked={draft.isEveryHost}
            onChange={(isEveryHost) => change({ isEveryHost })}
          />
          {!draft.isEveryHost && (
            <LinesField
              label={t("add.hosts")}
              hint={t("add.hostsHint")}
              rows={3}
              value={draft.hosts}
              onChange={(hosts) => change({ hosts })}
            />
          )}
          <TextField
            label={t("add.ports")}
            hint={t("add.portsHint")}
            value={draft.ports}
            onChange={(ports) => change({ ports })}
          />
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
  return <AreaField label={label} hint={hint} rows={rows} value={value} onChange={onChange} />;
}
