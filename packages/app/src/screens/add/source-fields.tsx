/** What somebody types or pastes to say which server is meant, and what was recognised in it. */
import { AreaField, Field } from "../../parts/field.tsx";
import { t } from "../../words/messages.ts";
import type { PastedSource, Source } from "./source.ts";
import type { NewServer } from "./use-new-server.ts";

const RECOGNISED = {
  registry: "add.recognisedRegistry",
  image: "add.recognisedImage",
  package: "add.recognisedPackage",
  json: "add.recognisedJson",
  remote: "add.recognisedRemote",
} as const;

interface SourceFieldsProps {
  readonly server: NewServer;
  readonly error: string | undefined;
}

export function SourceFields({ server, error }: SourceFieldsProps) {
  const { text, source, isRemote } = server;
  return (
    <>
      <AreaField
        label={t("add.source")}
        hint={chooseHint(source, isRemote)}
        error={error}
        rows={text.includes("\n") ? 8 : 1}
        spellCheck={false}
        autoCapitalize="off"
        value={text}
        onChange={(next) => server.setText(next)}
      />
      {source.kind === "json" && source.names.length > 1 && (
        <PastedServerField names={source.names} chosen={server.chosen} onChange={server.choose} />
      )}
      {source.kind === "json" && source.skipped.length + source.notes.length > 0 && <PastedNotes source={source} />}
    </>
  );
}

interface PastedServerFieldProps {
  readonly names: readonly string[];
  readonly chosen: string | undefined;
  readonly onChange: (name: string) => void;
}

function PastedServerField({ names, chosen, onChange }: PastedServerFieldProps) {
  return (
    <Field label={t("add.pastedServer")} hint={t("add.pastedServers", { count: names.length })}>
      {(control) => (
        <select
          {...control}
          value={chosen !== undefined && names.includes(chosen) ? chosen : (names[0] ?? "")}
          onChange={(event) => onChange(event.target.value)}
        >
          {names.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      )}
    </Field>
  );
}

function PastedNotes({ source }: { readonly source: PastedSource }) {
  return (
    <ul className="plan__warnings">
      {[...source.notes, ...source.skipped].map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  );
}

function chooseHint(source: Source, isRemote: boolean): string {
  if (source.kind === "registry" && isRemote) return t("add.recognisedRemoteEntry");
  if (source.kind !== "none") return t(RECOGNISED[source.kind]);
  return source.reason === "" ? t("add.sourceHint") : `${source.reason} ${t("add.sourceHint")}`;
}
