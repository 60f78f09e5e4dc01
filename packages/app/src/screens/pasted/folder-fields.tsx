/** Folders that a pasted server gets: where each is on this machine, and whether the server may change it. */
import { CheckBox, TextField } from "../../parts/field.tsx";
import { t } from "../../words/messages.ts";
import { type FolderChoice, listFolders, type PastedServer } from "./pasted-servers.ts";

interface FolderFieldsProps {
  readonly server: PastedServer;
  readonly choices: Readonly<Record<string, FolderChoice>>;
  readonly onChange: (target: string, choice: FolderChoice) => void;
}

export function FolderFields({ server, choices, onChange }: FolderFieldsProps) {
  return listFolders(server).map(({ target, shown, source, isReadOnly }) => {
    const choice = choices[target] ?? { source, isReadOnly };
    return (
      <div className="pasted-folder" key={target}>
        <TextField
          label={t("add.folderFor", { target })}
          hint={shown === undefined ? t("add.folderHint") : t("add.folderShown", { shown })}
          autoComplete="off"
          spellCheck={false}
          value={choice.source}
          onChange={(next) => onChange(target, { ...choice, source: next })}
        />
        <CheckBox
          label={t("add.folderReadOnly")}
          checked={choice.isReadOnly}
          onChange={(next) => onChange(target, { ...choice, isReadOnly: next })}
        />
      </div>
    );
  });
}
