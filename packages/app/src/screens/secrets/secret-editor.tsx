import { type FormEvent, useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { ActionDialog, Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { SetupForm } from "./setup-form.tsx";

interface SecretEditorProps {
  /** Of the secret whose value changes; absent for a new one. */
  readonly name?: string | undefined;
  /** A name for a new one. */
  readonly proposal?: string;
  /** A value for it, which can be changed. */
  readonly value?: string | undefined;
  /** Receives the name of the saved secret; nothing when the dialog was cancelled. */
  readonly onClose: (saved?: string) => void;
}

export function SecretEditor({ name, proposal = "", value: given = "", onClose }: SecretEditorProps) {
  const action = useAction();
  const [key, setKey] = useState(name ?? proposal);
  const [value, setValue] = useState(given);
  const save = async (event?: FormEvent) => {
    event?.preventDefault();
    const work = () =>
      name === undefined
        ? call("createSecret", { body: { key, value } })
        : call("updateSecret", { params: { key: name }, body: { value } });
    if (await action.run(work)) onClose(key);
  };
  if (action.problem?.code === "SECRETS_NOT_SET_UP") {
    return (
      <Dialog
        title={t("secrets.setup")}
        onClose={() => onClose()}
        actions={<Button onClick={() => onClose()}>{t("action.cancel")}</Button>}
      >
        <SetupForm onDone={() => void save()} />
      </Dialog>
    );
  }
  return (
    <ActionDialog
      title={name === undefined ? t("secrets.add") : `${t("secrets.change")}: ${name}`}
      {...{ action, label: t("secrets.save"), form: "secret", onCancel: () => onClose() }}
      command={`thv secret set ${key === "" ? "NAME" : key}`}
    >
      <form id="secret" onSubmit={(event) => void save(event)}>
        {name === undefined && (
          <TextField label={t("secrets.name")} required autoComplete="off" value={key} onChange={setKey} />
        )}
        <TextField
          label={t("secrets.value")}
          required
          type="password"
          autoComplete="off"
          value={value}
          onChange={setValue}
        />
      </form>
    </ActionDialog>
  );
}
